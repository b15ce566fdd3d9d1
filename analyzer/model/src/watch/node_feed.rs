//! What a node's own watch tells another one of the ranks there: what is new since it told last.
//!
//! Out: [`NodeNews`], one for each look. Where a rank is and what its calls add up to is told whole each time; what it
//! defines and the collective calls it has made only grow, and are told once.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use traces::definitions::Definition;
use traces::file::FileHeader;

use super::file::WatchedFile;
use super::view::RankView;
use crate::Rank;
use crate::bytes::{self, Base64};
use crate::standing::Made;

/// Of all ranks of a node.
#[derive(Serialize, Deserialize)]
pub struct NodeNews {
    /// Of each.
    pub ranks: Vec<RankNews>,
}

/// Of one rank.
#[derive(Serialize, Deserialize)]
pub struct RankNews {
    /// Name of its file.
    pub file: String,
    /// As it stands in the file.
    #[serde(with = "bytes")]
    pub header: FileHeader,
    /// Those that were not told before.
    definitions: Vec<Base64>,
    /// The collective calls made on objects where more were made than was told before.
    pub made: FxHashMap<u32, Made>,
    /// What it does.
    pub view: RankView,
}

impl RankNews {
    /// What it defines, as far as that can be read.
    pub fn definitions(&self) -> impl Iterator<Item = Definition> {
        self.definitions.iter().filter_map(|text| Definition::from_bytes(&text.bytes()?))
    }
}

/// What was told of a rank.
#[derive(Default)]
pub struct ToldSoFar {
    /// Of each page of definitions, up to which byte.
    definitions: Vec<usize>,
    /// Of each object, up to how many collective calls.
    made: FxHashMap<u32, u64>,
}

impl ToldSoFar {
    /// What is new of a rank, which is told then.
    pub fn tell(&mut self, rank: &Rank, file: &WatchedFile, view: RankView) -> RankNews {
        let new = file.definitions(&mut self.definitions);
        let definitions = new.iter().filter_map(|new| Some(Base64::of(&new.to_bytes().ok()?))).collect();
        let is_new = |(object, made): &(&u32, &Made)| self.made.insert(**object, made.count) != Some(made.count);
        let made = file.account().made.iter().filter(is_new).map(|(object, made)| (*object, made.clone())).collect();
        RankNews { file: rank.file.clone(), header: rank.header, definitions, made, view }
    }
}
