//! The wavefront of each communicator: the number of its collective calls that each group of ranks has reached, and the
//! group's current position.

use std::collections::BTreeMap;

use super::object_names::communicator;
use super::rank_names::names;
use super::ranks::call_of;
use super::{Findings, SeenRun};
use crate::meaning;
use model::rank::function;
use model::standing::Position;
use tables::{Column, Row, Table};

/// Ranks that have reached the same collective call of a communicator and are at the same position.
pub struct WavefrontRow {
    communicator: String,
    ranks: String,
    count: u64,
    reached: u64,
    stands: String,
    site: Option<String>,
    since: Option<f64>,
}

impl Row for WavefrontRow {
    const TABLE: &'static str = "wavefront";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("communicator", "communicator", |row: &Self| row.communicator.clone())
                .means(meaning::COMMUNICATOR),
            Column::text("ranks", "who", |row: &Self| row.ranks.clone())
                .means("The ranks of the communicator that stand at the same place."),
            Column::count("rank_count", "", |row: &Self| row.count).means("The number of these ranks."),
            Column::count("collective_calls", "came to", |row: &Self| row.reached)
                .means("How many collective calls they have come to there, the one they are in among them."),
            Column::text("stands", "and is", |row: &Self| row.stands.clone())
                .means("The call they are in, or made last."),
            Column::text("site", "call site", |row: &Self| row.site.clone()).means(meaning::SITE),
            Column::seconds("since_s", "since", |row: &Self| row.since)
                .means("How long the first of them has been there."),
        ]
    }
}

/// One row for each group of ranks, on communicators where some rank is in a collective call or completes one.
pub fn wavefront(findings: &Findings<'_>) -> Table<WavefrontRow> {
    let standing = findings.seen.standing;
    let parts = standing.ranks.iter().flat_map(|rank| rank.collectives());
    let mut objects: Vec<u32> = parts.map(|part| part.object).collect();
    objects.sort_unstable();
    objects.dedup();
    let rows = objects.into_iter().flat_map(|object| groups_of(&findings.seen, object)).collect();
    Table::new("how far the collective calls of each communicator have come", rows).silent_empty()
}

fn groups_of(seen: &SeenRun<'_>, object: u32) -> Vec<WavefrontRow> {
    let standing = seen.standing;
    let group = &standing.objects.groups[object as usize];
    let mut groups: BTreeMap<(u64, String, Option<String>), Vec<usize>> = BTreeMap::new();
    for at in group.everybody().map(|rank| rank as usize) {
        let position = standing.ranks[at].position();
        let call = call_of(position);
        let name = call.map(function).unwrap_or_default();
        let stands = match position {
            Position::Inside(_) => format!("in {name}"),
            Position::Asking(_) => format!("polling by {name}"),
            Position::Outside { .. } if name.is_empty() => "outside MPI".into(),
            Position::Outside { .. } => format!("outside, after {name}"),
            Position::Finalized => "finished".into(),
        };
        let call = call.filter(|call| call.site != 0);
        let site = call.map(|call| seen.run.sites.place(&seen.run.ranks[at], call.site));
        groups.entry((standing.reach(at, object).count(), stands, site)).or_default().push(at);
    }
    let name = communicator(seen, object);
    let row = |((reached, stands, site), ranks): ((u64, String, Option<String>), Vec<usize>)| WavefrontRow {
        communicator: name.clone(),
        ranks: names(seen.run, &ranks),
        count: ranks.len() as u64,
        reached,
        stands,
        site,
        since: ranks.iter().filter_map(|at| seen.since(*at)).reduce(f64::max),
    };
    groups.into_iter().map(row).collect()
}
