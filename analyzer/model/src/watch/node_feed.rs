//! Collects news of a node's ranks for the watch on another node.
//!
//! Out: [`NodeNews`], one for each look. Position and sums are sent whole each time; definitions and collective calls only grow,
//! and are sent once.

use std::time::Instant;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use traces::definitions::Definition;
use traces::file::FileHeader;

use super::file::WatchedFile;
use super::view::RankView;
use crate::bytes::Base64;
use crate::standing::Made;
use crate::{Rank, bytes};

#[derive(Serialize, Deserialize)]
pub struct NodeNews {
    pub ranks: Vec<RankNews>,
}

#[derive(Serialize, Deserialize)]
pub struct RankNews {
    pub file: String,
    #[serde(with = "bytes")]
    pub header: FileHeader,
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

pub struct ToldRank {
    pub host: String,
    header: FileHeader,
    definitions: Vec<Definition>,
    /// Collective calls, by the rank's own number for the object.
    pub made: FxHashMap<u32, Made>,
    view: RankView,
    at: Instant,
}

impl ToldRank {
    /// Starts with the first news of a rank.
    pub fn begin(host: &str, news: RankNews) -> ToldRank {
        let definitions = news.definitions().collect();
        let RankNews { header, made, view, .. } = news;
        ToldRank { host: host.into(), header, definitions, made, view, at: Instant::now() }
    }

    /// Adds further news of the same rank.
    pub fn add(&mut self, news: RankNews) {
        self.definitions.extend(news.definitions());
        self.made.extend(news.made);
        (self.header, self.view, self.at) = (news.header, news.view, Instant::now());
    }

    /// True if the news is of the process that a file's header names.
    pub fn is_of(&self, header: &FileHeader) -> bool {
        (self.header.pid, self.header.begin.realtime) == (header.pid, header.begin.realtime)
    }

    /// Updates `rank`, which has the first `has` definitions. Returns whether there were more, and the rank's view now.
    pub fn apply(&self, rank: &mut Rank, has: &mut usize) -> (bool, RankView) {
        rank.header = self.header;
        let new = self.definitions.get(*has..).unwrap_or(&[]);
        for definition in new {
            rank.define(definition.clone());
        }
        *has = self.definitions.len();
        (!new.is_empty(), self.view.later(self.at.elapsed().as_secs_f64()))
    }
}
