//! Requests by what happened between the post and the call that completed them: real overlap, or only the look of it.

use std::collections::BTreeMap;

use super::gathered::{GatheredRequests, PostingSite};
use super::messages::traffic;
use crate::meaning;
use model::overlap::Lives;
use tables::{Column, Row, Table};

/// The requests of one call site.
pub struct PostponedRow {
    pub(crate) place: PostingSite,
    pub(crate) lives: Lives,
}

impl Row for PostponedRow {
    const TABLE: &'static str = "postponed";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::label("traffic", "way", |row: &Self| traffic(row.place.traffic)).means(meaning::TRAFFIC),
            Column::text("function", "", |row: &Self| row.place.function.clone()).means(meaning::FUNCTION),
            Column::text("site", "posted at", |row: &Self| row.place.site.clone()).means(meaning::SITE),
            Column::count("requests", "requests", |row: &Self| row.lives.requests).means(meaning::REQUESTS),
            Column::count("complete_at_once", "at once", |row: &Self| row.lives.at_once)
                .means("Requests that were complete when the call that posted them returned."),
            Column::count("waited_right_after", "right after", |row: &Self| row.lives.direct)
                .means("Requests that were waited for right after they were posted: nothing could be hidden."),
            Column::count("postponed_with_progress", "progress", |row: &Self| row.lives.progressed)
                .means("Requests that were completed later, with an entry into the progress engine between."),
            Column::count("postponed_without_progress", "none", |row: &Self| row.lives.stalled).means(
                "Requests that were completed later, while nothing entered the progress engine: false overlap, unless \
                 hardware moves messages.",
            ),
            Column::count("complete_early", "early", |row: &Self| (row.lives.asked > 0).then_some(row.lives.early))
                .means("Requests that were complete before the call that completed them, as MPI said when asked.")
                .silent_empty(),
        ]
    }
}

/// One row for each call site.
pub fn postponed(all: &GatheredRequests) -> Table<PostponedRow> {
    let mut places: BTreeMap<&PostingSite, Lives> = BTreeMap::new();
    for ((place, _), lives) in &all.lives {
        places.entry(place).or_default().merge(lives);
    }
    let row = |(place, lives): (&PostingSite, Lives)| PostponedRow { place: place.clone(), lives };
    let title = "completed at once, waited for right after, or later, with progress between or with none";
    Table::new(title, places.into_iter().map(row).collect())
}
