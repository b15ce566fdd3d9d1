//! What another node's watch has told of a rank there.

use std::time::Instant;

use rustc_hash::FxHashMap;
use traces::definitions::Definition;
use traces::file::FileHeader;

use super::node_feed::RankNews;
use super::view::RankView;
use crate::Rank;
use crate::standing::Made;

/// See the module.
pub struct ToldRank {
    /// The host that told it.
    pub host: String,
    header: FileHeader,
    definitions: Vec<Definition>,
    /// As in the rank's own account.
    pub made: FxHashMap<u32, Made>,
    view: RankView,
    /// When that was told.
    at: Instant,
}

impl ToldRank {
    /// The first that is told of a rank.
    pub fn begin(host: &str, news: RankNews) -> ToldRank {
        let definitions = news.definitions().collect();
        let RankNews { header, made, view, .. } = news;
        ToldRank { host: host.into(), header, definitions, made, view, at: Instant::now() }
    }

    /// More is told of the same rank.
    pub fn add(&mut self, news: RankNews) {
        self.definitions.extend(news.definitions());
        self.made.extend(news.made);
        (self.header, self.view, self.at) = (news.header, news.view, Instant::now());
    }

    /// Whether it is told of the process that a file's header names.
    pub fn is_of(&self, header: &FileHeader) -> bool {
        (self.header.pid, self.header.begin.realtime) == (header.pid, header.begin.realtime)
    }

    /// What the rank does now, and the rank as it is told, of whose definitions it `has` so many. Whether there were more.
    pub fn apply(&self, rank: &mut Rank, has: &mut usize) -> (bool, RankView) {
        rank.header = self.header;
        let new = self.definitions.get(*has..).unwrap_or(&[]);
        new.iter().for_each(|definition| rank.define(definition.clone()));
        *has = self.definitions.len();
        (!new.is_empty(), self.view.later(self.at.elapsed().as_secs_f64()))
    }
}
