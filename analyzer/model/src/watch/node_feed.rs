//! Collects what is new on the ranks of a node, for the watch on another node.
//!
//! Out: [`NodeNews`], one for each look. Position and sums are sent whole each time; definitions and collective calls only grow,
//! and are sent once.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use traces::definitions::Definition;
use traces::file::FileHeader;

use super::file::WatchedFile;
use super::view::RankView;
use crate::Rank;
use crate::bytes::{self, Base64};
use crate::standing::Made;

/// News of all ranks of a node.
#[derive(Serialize, Deserialize)]
pub struct NodeNews {
    pub ranks: Vec<RankNews>,
}

/// News of one rank.
#[derive(Serialize, Deserialize)]
pub struct RankNews {
    pub file: String,
    /// Header as in the file.
    #[serde(with = "bytes")]
    pub header: FileHeader,
    /// New definitions.
    definitions: Vec<Base64>,
    /// Collective calls on objects with new ones.
    pub made: FxHashMap<u32, Made>,
    pub view: RankView,
}

impl RankNews {
    /// The new definitions that can be read.
    pub fn definitions(&self) -> impl Iterator<Item = Definition> {
        self.definitions.iter().filter_map(|text| Definition::from_bytes(&text.bytes()?))
    }
}

/// The part of a rank's data that was sent.
#[derive(Default)]
pub struct ToldSoFar {
    /// For each page of definitions, the number of bytes sent.
    definitions: Vec<usize>,
    /// For each object, the number of collective calls sent.
    made: FxHashMap<u32, u64>,
}

impl ToldSoFar {
    /// Collects the news of a rank and counts it as sent.
    pub fn tell(&mut self, rank: &Rank, file: &WatchedFile, view: RankView) -> RankNews {
        let new = file.definitions(&mut self.definitions);
        let definitions = new.iter().filter_map(|new| Some(Base64::of(&new.to_bytes().ok()?))).collect();
        let is_new = |(object, made): &(&u32, &Made)| self.made.insert(**object, made.count) != Some(made.count);
        let made = file.account().made.iter().filter(is_new).map(|(object, made)| (*object, made.clone())).collect();
        RankNews { file: rank.file.clone(), header: rank.header, definitions, made, view }
    }
}
