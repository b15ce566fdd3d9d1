//! Time by place: each call site, and the computation between two, by kind of time.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use model::attribution::TimeKey;
use model::origins::Activity;
use tables::{Column, Row, Table, WorldRank};

use super::{Why, time};
use crate::critical;
use crate::totals::{seconds, world_rank};

/// Maximum number of rows shown to people.
const ROWS: usize = 8;

/// One kind of time at one place, of all ranks.
pub struct PlaceRow {
    place: String,
    site: String,
    kind: &'static str,
    state: Option<&'static str>,
    per_rank: f64,
    share: Option<f64>,
    most: f64,
    rank: WorldRank,
}

impl Row for PlaceRow {
    const TABLE: &'static str = "places";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("where", "where", |row: &Self| row.place.clone()).means(
                "The call, or the computation before it; what only readings of the whole rank tell has no place.",
            ),
            Column::text("site", "call site", |row: &Self| row.site.clone())
                .means("Where the call is made; of computation, the call sites before and behind it."),
            Column::text("spent", "spent", |row: &Self| row.state.unwrap_or(row.kind).to_string())
                .means("The kind of time; of a wait, its wait state."),
            Column::text("kind", "", |row: &Self| row.kind.to_string()).means("The kind of time."),
            Column::seconds("time_s", "per rank", |row: &Self| row.per_rank).means("Time there, mean of the ranks."),
            Column::percent("percent", "%", |row: &Self| row.share).means("Share of the ranks' time.").spare(1),
            Column::seconds("most_s", "most", |row: &Self| row.most)
                .means("The time there of the rank with the most.")
                .spare(2),
            Column::rank("most_rank", "rank", |row: &Self| row.rank)
                .means("The rank with the most time there.")
                .spare(2),
        ]
    }
}

pub fn table(why: &Why) -> Table<PlaceRow> {
    let mut sums: BTreeMap<TimeKey, (i64, (i64, Reverse<usize>))> = BTreeMap::new();
    for (at, times) in why.asked() {
        for (key, time) in &times.times {
            let (all, most) = sums.entry(*key).or_default();
            *all += time;
            *most = (*most).max((*time, Reverse(at)));
        }
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|(key, (all, _))| (Reverse(*all), *key));
    let row = |(key, (all, (most, Reverse(at)))): (TimeKey, (i64, (i64, Reverse<usize>)))| {
        let (place, site) = names(why, key.place);
        PlaceRow {
            place,
            site,
            kind: time::kind(key.spent).name,
            state: key.spent.waits().map(|state| state.name()),
            per_rank: why.per_rank(all),
            share: why.share(all),
            most: seconds(most),
            rank: world_rank(&why.run.ranks[at]),
        }
    };
    Table::new("time by place", sums.into_iter().map(row).collect()).most(ROWS)
}

/// The name of a place and its call sites.
pub fn names(why: &Why, place: Option<Activity>) -> (String, String) {
    let site = |number: u32| &why.run.call_sites()[number as usize];
    match place {
        Some(Activity::In(at)) => (site(at).function.clone(), site(at).site.clone()),
        Some(Activity::Between(from, to)) => {
            let (from, to) = (site(from), site(to));
            (format!("before {}", to.function), critical::between(from, to).1)
        }
        None => ("(the whole rank)".into(), String::new()),
    }
}
