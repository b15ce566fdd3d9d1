//! Shows groups of ranks that behave alike as a table and as a line, and finds the ranks that are least like the
//! others.

use super::{Behavior, Behaviors};
use crate::totals::{percent, world_rank};
use crate::words::{plural, ranks_in_words};
use model::{Rank, Run};
use tables::number::whole;
use tables::{Column, Fact, Row, Table, Value, WorldRank, facts};
use traces::definitions::Span;

facts! {
    BEHAVIORS = "behaviors", Count, sometimes,
        "How many groups of ranks there are that ran the same program, called the same functions and spent their time alike.";
    WITHIN = "behaviors_within_percent", Percent, sometimes,
        "The distance in which a group's ranks are alike: the part of the run that a rank spent on other things than the \
         group's typical rank, half the sum of the differences of their times by function and outside MPI.";
}

/// A group of ranks. Times in seconds.
pub struct BehaviorRow {
    ranks: String,
    count: u64,
    host: Option<String>,
    hosts: u64,
    computation: f64,
    mpi: f64,
    /// Function with the largest difference to the largest group, and the difference.
    unlike: String,
    more: Option<f64>,
    typical: WorldRank,
    furthest: WorldRank,
    distance: f64,
}

impl Row for BehaviorRow {
    const TABLE: &'static str = "behaviors";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("ranks", "ranks", |row: &Self| row.ranks.clone())
                .means("The ranks, the first of many spans, with \"by\" where they follow each other at equal steps."),
            Column::count("rank_count", "how many", |row: &Self| row.count).means("How many ranks these are."),
            Column::text("host", "host", |row: &Self| row.host.clone())
                .means("The host that all of them ran on; empty of several.")
                .silent_empty()
                .spare(1),
            Column::count("hosts", "", |row: &Self| row.hosts).means("How many hosts they ran on."),
            Column::seconds("computation_mean_s", "computation", |row: &Self| row.computation)
                .means("Time outside MPI, mean of these ranks."),
            Column::seconds("mpi_time_mean_s", "in MPI", |row: &Self| row.mpi)
                .means("Time in MPI, mean of these ranks.")
                .spare(2),
            Column::text("unlike", "unlike the first in", |row: &Self| row.unlike.clone()).means(
                "What sets these ranks apart from those of the first row: functions that only one of them calls, else what \
                 takes them most longer or shorter.",
            ),
            Column::seconds("unlike_s", "by", |row: &Self| row.more)
                .means("How much longer that takes these ranks on average; negative where it is shorter."),
            Column::rank("typical_rank", "", |row: &Self| row.typical)
                .means("The rank closest to the medians of the times of all that are not in a group before it."),
            Column::rank("furthest_rank", "", |row: &Self| row.furthest)
                .means("The rank that is furthest from the typical one."),
            Column::percent("furthest_percent", "within %", |row: &Self| row.distance)
                .means("The part of the run that it spent on other things than the typical rank.")
                .spare(3),
        ]
    }
}

/// Maximum number of groups shown to people.
const ROWS: usize = 20;

pub fn table(run: &Run, behaviors: &Behaviors) -> Table<BehaviorRow> {
    let title = format!("ranks that behave alike, within {:.0} % of the run", 100.0 * behaviors.within);
    Table::new(title, rows(run, behaviors)).most(ROWS)
}

/// The number of groups, with the largest one and the others' differences from it.
pub fn fact(run: &Run, behaviors: &Behaviors) -> Vec<Fact> {
    const TOLD: usize = 4;
    let rows = rows(run, behaviors);
    let within = 100.0 * behaviors.within;
    let Some((first, others)) = rows.split_first() else { return Vec::new() };
    let mut fact = Fact::new(BEHAVIORS, "behavior", Value::Count(rows.len() as u64))
        .note(format!(" groups of ranks: {} alike within {within:.0} % of the run", whole(first.count)));
    for row in others.iter().take(TOLD) {
        fact = fact.note(format!("; {} {}", row.in_words(), row.unlike));
        if let Some(more) = row.more {
            fact = fact.note(if more > 0.0 { " +" } else { " " }).figure(Value::Seconds(more));
        }
    }
    let left: u64 = others.iter().skip(TOLD).map(|row| row.count).sum();
    if left > 0 {
        fact = fact.note(format!("; {} otherwise (report --by behavior)", plural(left, "rank")));
    }
    vec![fact, Fact::hidden(WITHIN, Value::Percent(within))]
}

/// The number of groups and the distance, for programs.
pub fn hidden_facts(behaviors: &Behaviors) -> Vec<Fact> {
    let groups = Value::Count(behaviors.groups.len() as u64);
    vec![Fact::hidden(BEHAVIORS, groups), Fact::hidden(WITHIN, Value::Percent(100.0 * behaviors.within))]
}

/// Places in the run of the ranks that are least like the typical rank of the largest group, the least alike first.
pub fn unlike(behaviors: &Behaviors, count: usize) -> Vec<usize> {
    let Some(first) = behaviors.groups.first() else { return Vec::new() };
    let spent = &behaviors.spent;
    let distance = |rank: u32| (spent.distance(first.typical, rank), rank);
    let mut all: Vec<(f64, u32)> = (0..spent.ranks.len() as u32).map(distance).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    all.into_iter().take(count).map(|(_, rank)| spent.ranks[rank as usize]).collect()
}

impl BehaviorRow {
    /// `rank 7`, `64 ranks of node00781`, or `1,562 ranks`.
    fn in_words(&self) -> String {
        match (self.count, &self.host) {
            (1, _) => format!("rank {}", self.ranks),
            (count, Some(host)) => format!("{} of {host}", plural(count, "rank")),
            (count, _) => plural(count, "rank"),
        }
    }
}

fn rows(run: &Run, behaviors: &Behaviors) -> Vec<BehaviorRow> {
    let Some(first) = behaviors.groups.first() else { return Vec::new() };
    let means = behaviors.spent.means(&first.ranks);
    let is_on_another = |rank: &Rank| rank.process.host != run.first().process.host;
    let has_hosts = run.ranks.iter().any(is_on_another);
    let with_host = |group: &Behavior| {
        let row = row(run, behaviors, group, (first, &means));
        let one = run.ranks[behaviors.spent.ranks[group.typical as usize]].process.host.clone();
        BehaviorRow { host: (has_hosts && row.hosts == 1).then_some(one), ..row }
    };
    behaviors.groups.iter().map(with_host).collect()
}

fn row(run: &Run, of: &Behaviors, group: &Behavior, (first, first_means): (&Behavior, &[f64])) -> BehaviorRow {
    let spent = &of.spent;
    let rank = |own: u32| &run.ranks[spent.ranks[own as usize]];
    let mut hosts: Vec<&str> = group.ranks.iter().map(|own| rank(*own).process.host.as_str()).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let means = spent.means(&group.ranks);
    let (unlike, more) = match std::ptr::eq(group, first) {
        true => (String::new(), None),
        false => unlike_in(of, group.typical, first.typical, &means, first_means),
    };
    let names: Vec<WorldRank> = group.ranks.iter().map(|own| world_rank(rank(*own))).collect();
    BehaviorRow {
        ranks: spans(&names),
        count: group.ranks.len() as u64,
        host: None,
        hosts: hosts.len() as u64,
        computation: means[0],
        mpi: means[2..].iter().sum(),
        unlike,
        more,
        typical: world_rank(rank(group.typical)),
        furthest: world_rank(rank(group.furthest.0)),
        distance: percent(group.furthest.1, 1.0).unwrap_or(0.0),
    }
}

/// The function that sets a group apart, and the difference in seconds if both call it.
fn unlike_in(of: &Behaviors, own: u32, first: u32, means: &[f64], first_means: &[f64]) -> (String, Option<f64>) {
    let spent = &of.spent;
    let ((program, called), (first_program, first_called)) = (spent.kind(own), spent.kind(first));
    if program != first_program {
        return (format!("runs {program}"), None);
    }
    let named = |some: &[u16], others: &[u16], word: &str| {
        let mut names =
            some.iter().filter(|one| !others.contains(one)).map(|one| spent.functions[*one as usize].as_str());
        let name = names.next()?;
        let more = match names.count() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Some(format!("{word} {name}{more}"))
    };
    if let Some(also) = named(called, first_called, "also").or_else(|| named(first_called, called, "never")) {
        return (also, None);
    }
    let more = |time: &usize| means[*time] - first_means[*time];
    let most = (0..means.len()).max_by(|a, b| more(a).abs().total_cmp(&more(b).abs()));
    most.map_or((String::new(), None), |time| (spent.name(time).to_string(), Some(more(&time))))
}

/// Ranks as `0-63, 128`, `0-960 by 64`, the first spans of many.
fn spans(ranks: &[WorldRank]) -> String {
    const SHOWN: usize = 3;
    let (first, others): (Vec<WorldRank>, Vec<WorldRank>) =
        ranks.iter().partition(|rank| rank.world == 0 && rank.number.is_some());
    let numbers: Vec<i32> = first.iter().filter_map(|rank| Some(rank.number? as i32)).collect();
    let all = Span::all(&numbers);
    let span = |span: &Span| match (span.count, span.step) {
        (1, _) => span.first.to_string(),
        (count, 1) => format!("{}-{}", span.first, span.first + count as i32 - 1),
        (2, step) => format!("{}, {}", span.first, span.first + step),
        (count, step) => format!("{}-{} by {step}", span.first, span.first + (count as i32 - 1) * step),
    };
    let mut words: Vec<String> = all.iter().take(SHOWN).map(span).collect();
    if all.len() > SHOWN {
        words.push("...".into());
    }
    if !others.is_empty() {
        words.push(ranks_in_words(&others));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::spans;
    use tables::WorldRank;

    #[test]
    fn ranks_in_rows_and_at_steps_are_spans_of_which_the_first_are_named() {
        let said = |ranks: &[u32]| {
            spans(&Vec::from_iter(ranks.iter().map(|number| WorldRank { world: 0, number: Some(*number) })))
        };
        assert_eq!(said(&[7]), "7");
        assert_eq!(said(&[0, 1, 2, 3]), "0-3");
        assert_eq!(said(&[0, 64, 128, 192]), "0-192 by 64");
        assert_eq!(said(&[1, 2, 3, 7, 9, 20, 21, 22, 30]), "1-3, 7, 9, 20-22, ...");
        let other = WorldRank { world: 1, number: Some(0) };
        assert_eq!(spans(&[WorldRank { world: 0, number: Some(4) }, other]), "4, rank 0 of spawned world 1");
    }
}
