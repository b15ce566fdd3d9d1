//! Keeps the news of a rank on another node.

use std::time::Instant;

use rustc_hash::FxHashMap;
use traces::definitions::Definition;
use traces::file::FileHeader;

use super::node_feed::RankNews;
use super::view::RankView;
use crate::Rank;
use crate::standing::Made;

/// A rank on another node.
pub struct ToldRank {
    /// The host that sent the news.
    pub host: String,
    header: FileHeader,
    definitions: Vec<Definition>,
    /// As in the rank's own account.
    pub made: FxHashMap<u32, Made>,
    view: RankView,
    /// Time of the last news.
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
        new.iter().for_each(|definition| rank.define(definition.clone()));
        *has = self.definitions.len();
        (!new.is_empty(), self.view.later(self.at.elapsed().as_secs_f64()))
    }
}
