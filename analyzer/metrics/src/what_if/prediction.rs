//! The length of a changed run, the waits that go, and what its time is spent on then.

use std::cmp::Reverse;

use model::Run;
use model::error::Error;
use model::matching::scenario::{MOST_LANES, RunChange, Scenario};
use model::matching::{Estimate, PlaceTime, RankReplay};
use model::sites::CallSite;
use model::what_if::{Replayable, Replayed};
use rustc_hash::FxHashMap;
use tables::{Column, Fact, Row, Table, Value, facts};

use super::shared_work::SharedWork;
use crate::totals::{percent, seconds, world_rank};
use crate::{critical, meaning};

facts! {
    REPLAYED = "replayed_s", Seconds, always,
        "How long the run takes in the replay with nothing changed; wall_time_s is what it took.";
    REPLAY_ERROR = "replay_error_percent", Percent, always,
        "By how much the unchanged replay is longer or shorter than the run.";
    PREDICTED = "predicted_s", Seconds, always, "How long the run would take with all changes.";
    PREDICTED_ERROR = "predicted_error_s", Seconds, always,
        "By how much predicted_s may be off: by times that the run does not show, by calls that take longer after a wait, by \
         work that other ranks would take, by the unchanged replay, by the clocks, and by twice the standard deviation of the difference between two runs, as parts of this one show it.";
    SAVED = "saved_s", Seconds, always, "By how much the run would be shorter with all changes.";
    LAST_RANK = "last_rank", Rank, sometimes, "The rank that would end last.";
}

/// Beyond this share of the run's length, in percent, the unchanged replay is said to be off: a prediction of 5 % would not be one.
const MOST_ERROR: f64 = 3.0;
/// Rows of each table that people see, so that all fit a screen of 24 lines.
const ROWS: usize = 3;

/// Lanes of the replay: the recorded run, then the changed one with typical, low and high times where the run shows none, then each
/// change alone.
const RECORDED: usize = 0;
const CHANGED: usize = 1;
const ALONE: usize = 4;

/// A run with all changes, and with each of them alone.
pub struct Prediction<'a> {
    run: &'a Run,
    replayed: Replayed,
    /// The changes as typed, if each was tried alone.
    alone: Vec<String>,
    clock_error: i64,
    shared_work: Option<SharedWork>,
}

impl<'a> Prediction<'a> {
    pub fn of(run: &'a Run, replayable: &Replayable, changes: &[(RunChange, String)]) -> Prediction<'a> {
        let all: Vec<RunChange> = changes.iter().map(|(change, _)| change.clone()).collect();
        let mut scenarios = vec![Scenario::recorded()];
        for estimate in [Estimate::Typical, Estimate::Low, Estimate::High] {
            scenarios.push(Scenario::with(&all, estimate));
        }
        let is_alone = changes.len() > 1 && changes.len() <= MOST_LANES - ALONE;
        let alone = if is_alone { changes } else { &[] };
        for (change, _) in alone {
            scenarios.push(Scenario::with(std::slice::from_ref(change), Estimate::Typical));
        }
        let replayed = replayable.replay(&scenarios);
        Prediction {
            run,
            shared_work: SharedWork::of(run, &replayed, [RECORDED, CHANGED]),
            replayed,
            alone: alone.iter().map(|(_, typed)| typed.clone()).collect(),
            clock_error: replayable.clock_error(),
        }
    }

    /// The error of a program that hangs when it is changed.
    pub fn hang(&self) -> Option<Error> {
        let (sender, receiver) = self.replayed.hangs()?;
        let [sender, receiver] = [sender, receiver].map(|rank| world_rank(&self.run.ranks[rank as usize]));
        Some(Error::Setting(format!(
            "with this eager limit the program hangs: rank {sender} sends to rank {receiver}, which posts the receive only after a call that \
             waits for others. This run needs a library that stores the message"
        )))
    }

    /// By how much the unchanged replay is off, percent.
    fn replay_error(&self) -> f64 {
        let recorded = self.replayed.recorded();
        percent(self.replayed.length(RECORDED).saturating_sub(recorded) as f64, recorded as f64).unwrap_or(0.0)
    }

    /// By how much the prediction may be off, nanoseconds.
    fn error(&self) -> i64 {
        let [typical, low, high] = [CHANGED, CHANGED + 1, CHANGED + 2].map(|lane| self.replayed.length(lane));
        let of_replay = self.replayed.length(RECORDED).saturating_sub(self.replayed.recorded()).saturating_abs();
        let of_times = typical.saturating_sub(low).saturating_abs().max(high.saturating_sub(typical).saturating_abs());
        of_times
            .saturating_add(of_replay)
            .saturating_add(self.clock_error)
            .saturating_add(self.replayed.own_times(CHANGED))
            .saturating_add(self.replayed.variation(CHANGED).unwrap_or(0))
            .saturating_add(self.shared_work.as_ref().map_or(0, |work| typical.saturating_sub(work.least).max(0)))
    }

    pub fn facts(&self) -> Vec<Fact> {
        let length = |lane| self.replayed.length(lane);
        let saved = length(RECORDED).saturating_sub(length(CHANGED));
        let share = percent(saved.saturating_abs() as f64, length(RECORDED) as f64).unwrap_or(0.0);
        let than = if saved < 0 { "more" } else { "less" };
        let error = Value::Seconds(seconds(self.error()));
        let last = self.replayed.last(CHANGED).map(|rank| world_rank(&self.run.ranks[rank]));
        let mut facts = vec![
            Fact::new(REPLAYED, "replayed", Value::Seconds(seconds(length(RECORDED))))
                .note(format!(" with nothing changed: {:.2} % off", self.replay_error().abs())),
            Fact::hidden(REPLAY_ERROR, Value::Percent(self.replay_error())),
            Fact::new(PREDICTED, "predicted", Value::Seconds(seconds(length(CHANGED))))
                .error(error.clone())
                .note(", ")
                .figure(Value::Seconds(seconds(saved.saturating_abs())))
                .note(format!(" ({share:.1} %) {than}")),
            Fact::hidden(PREDICTED_ERROR, error),
            Fact::hidden(SAVED, Value::Seconds(seconds(saved))),
        ];
        facts.extend(last.map(|rank| Fact::hidden(LAST_RANK, Value::Rank(rank))));
        facts
    }

    pub fn warnings(&self) -> Vec<String> {
        let mut warnings: Vec<String> = self.shared_work.iter().map(|work| work.warning.clone()).collect();
        if self.replay_error().abs() > MOST_ERROR {
            warnings.push(format!(
                "the unchanged replay is off by {:.1} %, which is part of the error: some waits of this run have no cause on record",
                self.replay_error().abs()
            ));
        }
        if self.replayed.variation(CHANGED).is_none() {
            warnings.push(
                "no call is made often enough to show by how much runs differ from each other: that is not in the error".into(),
            );
        }
        if self.run.asked().any(|rank| rank.thread_count() > 1) {
            warnings.push(
                "some ranks have several threads: only the calls of the first are replayed, others keep their times"
                    .into(),
            );
        }
        warnings
    }

    /// One row for each change, if there are several.
    pub fn alone(&self) -> Table<AloneRow> {
        let rows = self.alone.iter().enumerate().map(|(at, change)| AloneRow {
            change: change.clone(),
            predicted: self.replayed.length(ALONE + at),
            saved: self.replayed.length(RECORDED).saturating_sub(self.replayed.length(ALONE + at)),
        });
        Table::new("each change alone", rows.collect()).silent_empty()
    }

    /// One row for each call site that waits in one of the two runs, those first whose waits change most.
    pub fn waits(&self) -> Table<WaitRow> {
        let ranks = self.replayed.ranks.len().max(1) as i64;
        let mut sums: FxHashMap<u32, (i64, i64)> = FxHashMap::default();
        for rank in &self.replayed.ranks {
            for (site, place) in &rank.places.waits {
                let sum = sums.entry(*site).or_default();
                *sum = (sum.0.saturating_add(place.times[RECORDED]), sum.1.saturating_add(place.times[CHANGED]));
            }
        }
        let row = |(site, (before, then)): (u32, (i64, i64))| {
            let CallSite { function, site } = self.site(site);
            WaitRow { function, site, before: before / ranks, then: then / ranks }
        };
        let mut rows: Vec<WaitRow> = sums.into_iter().map(row).filter(|row| row.before > 0 || row.then > 0).collect();
        rows.sort_by(|a, b| {
            let key =
                |row: &WaitRow| (Reverse(row.before.saturating_sub(row.then).saturating_abs()), Reverse(row.before));
            key(a).cmp(&key(b)).then_with(|| (&a.function, &a.site).cmp(&(&b.function, &b.site)))
        });
        Table::new("waits per rank, before and then", rows).most(ROWS).silent_empty()
    }

    /// Times of the rank that ends last then, the longest first.
    pub fn then(&self) -> Table<ThenRow> {
        let Some(last) = self.replayed.last(CHANGED) else { return Table::new("", Vec::new()) };
        let RankReplay { places, .. } = &self.replayed.ranks[last];
        let whole = self.replayed.length(CHANGED) as f64;
        let mut rows = Vec::new();
        let mut add = |what: &'static str, place: (String, String), PlaceTime { times, .. }: &PlaceTime| {
            let (before, then) = (times[RECORDED], times[CHANGED]);
            if before > 0 || then > 0 {
                rows.push(ThenRow {
                    what,
                    name: place.0,
                    site: place.1,
                    before,
                    then,
                    share: percent(then as f64, whole),
                });
            }
        };
        for ((before, after), times) in &places.between {
            add("computation", self.between(*before, *after), times);
        }
        for (site, times) in &places.calls {
            let CallSite { function, site } = self.site(*site);
            add("call", (function, site), times);
        }
        for (site, times) in &places.waits {
            let CallSite { function, site } = self.site(*site);
            add("wait", (function, site), times);
        }
        rows.sort_by(|a, b| {
            b.then.cmp(&a.then).then_with(|| (a.what, &a.name, &a.site).cmp(&(b.what, &b.name, &b.site)))
        });
        let title = format!("then rank {} ends last, after", world_rank(&self.run.ranks[last]));
        Table::new(title, rows).most(ROWS)
    }

    fn site(&self, number: u32) -> CallSite {
        let nowhere = || CallSite { function: "the end".into(), site: String::new() };
        self.run.call_sites().get(number as usize).cloned().unwrap_or_else(nowhere)
    }

    /// Name and lines of computation between two calls.
    fn between(&self, before: Option<u32>, after: u32) -> (String, String) {
        let from = before
            .map_or_else(|| CallSite { function: "MPI_Init".into(), site: String::new() }, |from| self.site(from));
        critical::between(&from, &self.site(after))
    }
}

pub struct AloneRow {
    change: String,
    predicted: i64,
    saved: i64,
}

impl Row for AloneRow {
    const TABLE: &'static str = "alone";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("change", "change", |row: &Self| row.change.clone()).means("The change, as it was asked for."),
            Column::seconds("predicted_s", "predicted", |row: &Self| seconds(row.predicted))
                .means("How long the run would take with this change alone."),
            Column::seconds("saved_s", "less by", |row: &Self| seconds(row.saved))
                .means("By how much the run would be shorter with this change alone."),
        ]
    }
}

pub struct WaitRow {
    function: String,
    site: String,
    before: i64,
    then: i64,
}

impl Row for WaitRow {
    const TABLE: &'static str = "waits";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("function", "function", |row: &Self| row.function.clone()).means(meaning::FUNCTION),
            Column::text("site", "call site", |row: &Self| row.site.clone()).means("Where the call is made."),
            Column::seconds("before_s", "before", |row: &Self| seconds(row.before))
                .means("Time for which a rank waits there in the run, on average."),
            Column::seconds("then_s", "then", |row: &Self| seconds(row.then))
                .means("Time for which a rank would wait there, on average."),
        ]
    }
}

pub struct ThenRow {
    what: &'static str,
    name: String,
    site: String,
    before: i64,
    then: i64,
    share: Option<f64>,
}

impl Row for ThenRow {
    const TABLE: &'static str = "then";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("what", "what", |row: &Self| row.what.to_string())
                .means("Computation, a wait for another rank in a call, or the rest of the call."),
            Column::text("where", "where", |row: &Self| row.name.clone())
                .means("The function, or computation between two calls."),
            Column::text("site", "call site", |row: &Self| row.site.clone())
                .means("Where the call is made; of computation, the call sites before and after it."),
            Column::seconds("before_s", "before", |row: &Self| seconds(row.before))
                .means("Time of that rank there, in the run."),
            Column::seconds("then_s", "then", |row: &Self| seconds(row.then)).means("Time of that rank there, then."),
            Column::percent("then_percent", "%", |row: &Self| row.share).means("Share of the predicted time."),
        ]
    }
}
