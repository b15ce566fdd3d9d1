//! How far a rank has come in the collective calls of a communicator, window or file.
//!
//! All its ranks make the same ones in the same order: which one a call is part of is told by how many came before.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// The collective calls that a rank has made on an object.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Made {
    /// How many.
    pub count: u64,
    /// The functions of the last of them.
    recent: VecDeque<u16>,
}

/// Functions of collective calls that are kept: ranks are seldom further apart.
const KEPT: usize = 64;

impl Made {
    /// One more.
    pub fn make(&mut self, function: u16) {
        self.count += 1;
        self.recent.push_back(function);
        if self.recent.len() > KEPT {
            self.recent.pop_front();
        }
    }

    /// The last one failed, and is none.
    pub fn take_back(&mut self) {
        self.count = self.count.saturating_sub(1);
        self.recent.pop_back();
    }

    fn function(&self, ordinal: u64) -> Option<u16> {
        let back = self.count.checked_sub(ordinal)?;
        self.recent.get(self.recent.len().checked_sub(back as usize)?).copied()
    }
}

/// Those, and the one that it is in.
#[derive(Clone, Copy, Default)]
pub struct Reach<'a> {
    /// Those that it has made.
    pub made: Option<&'a Made>,
    /// The function of the one that it is in.
    pub open: Option<u16>,
}

impl Reach<'_> {
    /// How many it has come to, the one that it is in among them.
    pub fn count(&self) -> u64 {
        self.made() + u64::from(self.open.is_some())
    }

    /// The function of the one before which there were so many, if that is known.
    pub fn function(&self, ordinal: u64) -> Option<u16> {
        self.open.filter(|_| ordinal == self.made()).or_else(|| self.made?.function(ordinal))
    }

    /// Whether it has come to the call of this function before which there were so many.
    pub fn has_come_to(&self, ordinal: u64, function: u16) -> bool {
        // What is not known any more was long ago.
        self.count() > ordinal && self.function(ordinal).is_none_or(|other| other == function)
    }

    fn made(&self) -> u64 {
        self.made.map_or(0, |made| made.count)
    }
}
