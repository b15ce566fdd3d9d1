//! The causes of waiting: the late rank, its place and the reason, the most waited for first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use model::attribution::{CausedWait, TimeKey, WaitingPlace};
use model::matching::WaitState;
use model::origins::Activity;
use rustc_hash::FxHashMap;
use tables::{Column, Row, Table, WorldRank};

use super::reason::AllPasses;
use super::{Why, places};
use crate::totals::{percent, world_rank};
use crate::words::site_in_words;

/// Maximum number of rows shown to people.
const ROWS: usize = 8;

/// A late rank at a place, for one reason.
pub struct CauseRow {
    /// `None` where no rank can be named.
    rank: Option<WorldRank>,
    place: String,
    site: String,
    because: String,
    /// Seconds of the mean rank.
    waited: f64,
    share: Option<f64>,
    indirect: Option<f64>,
    at: String,
}

impl Row for CauseRow {
    const TABLE: &'static str = "causes";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::rank("rank", "rank", |row: &Self| row.rank)
                .means("The rank that others waited for; empty if no single rank was late, or none has a record of that time."),
            Column::text("where", "meanwhile", |row: &Self| row.place.clone())
                .means("Where it was meanwhile: in a call, or computing before it."),
            Column::text("site", "call site", |row: &Self| row.site.clone())
                .means("Where the call is made; of computation, the call sites before and behind it."),
            Column::text("because", "because", |row: &Self| row.because.clone())
                .means(
                    "Why that took long. Of computation, its passes through this place are compared with the other ranks': `2 x the work` if \
                     even its fastest tenth takes longer, so that it has more to do or a slower core always; `slower at times` if that is as \
                     fast as theirs; `2 x as long` of too few passes to tell; `even work` if it took no longer than usual.",
                ),
            Column::seconds("waited_s", "waited", |row: &Self| row.waited)
                .means("Waiting time that this caused, per rank. All rows together are all waits."),
            Column::percent("percent", "%", |row: &Self| row.share).means("Share of the ranks' time.").spare(1),
            Column::percent("indirect_percent", "", |row: &Self| row.indirect)
                .means("The share of this waiting time that reached its rank through others, which waited, too."),
            Column::text("waiting_at", "", |row: &Self| row.at.clone())
                .means("The call in which most of this time was waited."),
        ]
    }
}

/// Waiting time for one late rank at one place.
#[derive(Default)]
struct OneCause {
    wait: CausedWait,
    at: FxHashMap<WaitingPlace, i64>,
}

pub fn table(why: &Why) -> Table<CauseRow> {
    let mut causes: BTreeMap<(u32, TimeKey), OneCause> = BTreeMap::new();
    for (key, wait) in &why.attribution.causes {
        let cause = causes.entry((key.rank, key.late)).or_default();
        cause.wait.grow(*wait);
        *cause.at.entry(key.waiting).or_default() += wait.time;
    }
    let passes = AllPasses::of(why.origins);
    let mut rows: Vec<(i64, CauseRow)> = Vec::new();
    for ((rank, late), cause) in causes {
        let (place, site) = places::names(why, late.place);
        rows.push((
            cause.wait.time,
            CauseRow {
                rank: Some(world_rank(&why.run.ranks[rank as usize])),
                place,
                site,
                because: passes.reason(rank, late),
                waited: why.per_rank(cause.wait.time),
                share: why.share(cause.wait.time),
                indirect: percent(cause.wait.indirect as f64, cause.wait.time as f64),
                at: waiting_at(why, &cause.at),
            },
        ));
    }
    for (place, time) in &why.attribution.unresolved {
        rows.push((*time, unresolved(why, *place, *time)));
    }
    rows.sort_by_cached_key(|(time, row)| {
        (Reverse(*time), row.rank.map(|rank| (rank.world, rank.number)), row.site.clone())
    });
    Table::new("what the ranks waited for", rows.into_iter().map(|(_, row)| row).collect()).most(ROWS)
}

/// Waits for no rank: nobody was late, or the late rank has no record of the time.
fn unresolved(why: &Why, at: WaitingPlace, time: i64) -> CauseRow {
    let (place, site) = places::names(why, Some(Activity::In(at.site)));
    let ends_apart = matches!(at.state, WaitState::BarrierCompletion | WaitState::NxnCompletion);
    CauseRow {
        rank: None,
        place,
        site,
        because: if ends_apart { "left apart" } else { "not resolved" }.into(),
        waited: why.per_rank(time),
        share: why.share(time),
        indirect: None,
        at: site_in_words(&why.run.call_sites()[at.site as usize]),
    }
}

/// The call in which most was waited.
fn waiting_at(why: &Why, at: &FxHashMap<WaitingPlace, i64>) -> String {
    let most = at.iter().max_by_key(|(place, time)| (**time, Reverse(**place)));
    let site = most.map(|(place, _)| &why.run.call_sites()[place.site as usize]);
    site.map(site_in_words).unwrap_or_default()
}
