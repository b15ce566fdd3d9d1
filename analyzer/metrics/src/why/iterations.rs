//! The iterations of the loop that a run consists of: how long they take, and which are unlike the others.

use std::cmp::Reverse;

use model::attribution::TimeKey;
use tables::number::{significant, whole};
use tables::{Column, Fact, Row, Table, Value, WorldRank};

use super::{ITERATION, ITERATIONS, SLOWER, Why, places, time};
use crate::totals::{seconds, world_rank};
use crate::words::site_in_words;

/// Maximum number of rows shown to people.
const ROWS: usize = 5;
/// An iteration that takes longer than so many usual ones is unlike the others.
const UNLIKE: f64 = 1.25;
/// The last tenth is slower if it takes longer than so many firsts.
const GROWN: f64 = 1.2;

/// The mean rank's time of each iteration, nanoseconds.
#[derive(Default)]
pub struct Iterations {
    times: Vec<f64>,
    usual: f64,
}

impl Iterations {
    pub fn of(why: &Why) -> Option<Iterations> {
        why.attribution.of_loop?;
        let count = why.asked().map(|(_, times)| times.iterations.times.len()).max()?;
        let mut times = Vec::new();
        for number in 0..count {
            let of_ranks: Vec<f64> =
                why.asked().filter_map(|(_, times)| Some(*times.iterations.times.get(number)? as f64)).collect();
            times.push(of_ranks.iter().sum::<f64>() / of_ranks.len().max(1) as f64);
        }
        let mut sorted = times.clone();
        sorted.sort_by(f64::total_cmp);
        let usual = *sorted.get(sorted.len() / 2)?;
        (usual > 0.0).then_some(Iterations { times, usual })
    }

    /// Numbers of the iterations unlike the others, in order.
    fn unlike(&self) -> Vec<usize> {
        (0..self.times.len()).filter(|at| self.times[*at] > UNLIKE * self.usual).collect()
    }

    /// Numbers of those that take longest, in order: beyond half of the most that any is unlike the others.
    fn longest(&self) -> Vec<usize> {
        let most = self.times.iter().copied().fold(self.usual, f64::max) - self.usual;
        self.unlike().into_iter().filter(|at| self.times[*at] - self.usual > most / 2.0).collect()
    }

    /// The last tenth's time over the first tenth's.
    fn growth(&self) -> f64 {
        let tenth = (self.times.len() / 10).max(1);
        let sum = |times: &[f64]| times.iter().sum::<f64>();
        sum(&self.times[self.times.len() - tenth..]) / sum(&self.times[..tenth]).max(1.0)
    }

    pub fn facts(&self, why: &Why) -> Vec<Fact> {
        let site = why.attribution.of_loop.map(|of| &why.run.call_sites()[of.site as usize]);
        let mut fact = Fact::new(ITERATIONS, "iterations", Value::Count(self.times.len() as u64 + 1));
        fact = fact.note(format!(" from {} on, ", site.map(site_in_words).unwrap_or_default()));
        fact = fact.figure(Value::Seconds(self.usual / 1e9)).note(" each");
        let unlike = self.unlike();
        if let Some(every) = spacing(&self.longest()) {
            fact = fact.note(format!(", every {} one far longer", ordinal(every)));
        } else if !unlike.is_empty() {
            fact = fact.note(format!(", {} longer", whole(unlike.len() as u64)));
        }
        let growth = self.growth();
        if growth > GROWN
            && let Some((rank, key)) = grown(why)
        {
            let (place, site) = places::names(why, key.place);
            let ratio = significant(growth, 2, 1);
            let at = if site.is_empty() { place } else { format!("{place} at {site}") };
            fact = fact.note(format!(
                "; the last tenth takes {ratio} x the first: more {}, {at}, on rank {rank}",
                time::kind(key.spent).name
            ));
        }
        vec![
            fact,
            Fact::hidden(ITERATION, Value::Seconds(self.usual / 1e9)),
            Fact::hidden(SLOWER, Value::Ratio(growth)),
        ]
    }

    pub fn table(&self, why: &Why) -> Table<IterationRow> {
        let mut unlike = self.unlike();
        unlike.sort_by(|a, b| self.times[*b].total_cmp(&self.times[*a]).then(a.cmp(b)));
        let row = |number: usize| {
            let most = why
                .asked()
                .filter_map(|(at, times)| Some((times.iterations.beyond.get(&(number as u32))?, at)))
                .max_by_key(|((_, beyond), at)| (*beyond, Reverse(*at)));
            let (place, site) = most.map_or_else(Default::default, |((key, _), _)| places::names(why, key.place));
            IterationRow {
                number: number as u64,
                time: self.times[number] / 1e9,
                times: self.times[number] / self.usual,
                rank: most.map(|(_, at)| world_rank(&why.run.ranks[at])),
                place,
                site,
                kind: most.map_or("", |((key, _), _)| time::kind(key.spent).name),
                beyond: most.map(|((_, beyond), _)| seconds(*beyond)),
            }
        };
        let title = "iterations that took longer, and what took longer in them";
        Table::new(title, unlike.into_iter().map(row).collect()).most(ROWS).silent_empty()
    }
}

/// The entry that grew most, of all ranks.
fn grown(why: &Why) -> Option<(WorldRank, TimeKey)> {
    let of_rank = |(at, times): (usize, &model::attribution::RankTimes)| Some((times.iterations.growth()?, at));
    let ((key, _), at) = why.asked().filter_map(of_rank).max_by_key(|((_, more), at)| (*more, Reverse(*at)))?;
    Some((world_rank(&why.run.ranks[at]), key))
}

/// The distance of numbers that are equally far from each other, where there are three or more.
fn spacing(numbers: &[usize]) -> Option<usize> {
    let every = numbers.get(1)? - numbers.first()?;
    let is_even = numbers.len() >= 3 && every > 1 && numbers.windows(2).all(|pair| pair[1] - pair[0] == every);
    is_even.then_some(every)
}

fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// An iteration that takes longer than the others.
pub struct IterationRow {
    number: u64,
    time: f64,
    times: f64,
    rank: Option<WorldRank>,
    place: String,
    site: String,
    kind: &'static str,
    beyond: Option<f64>,
}

impl Row for IterationRow {
    const TABLE: &'static str = "iterations";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::number("iteration", "number", |row: &Self| row.number).means("The iteration, from 0."),
            Column::seconds("time_s", "time", |row: &Self| row.time).means("Its time, mean of the ranks."),
            Column::ratio("times", "x", |row: &Self| row.times).means("Its time over the usual one, the median of all iterations."),
            Column::rank("rank", "rank", |row: &Self| row.rank)
                .means("The rank with the entry that took most beyond its usual time; waits left out. Empty if none took a tenth of the iteration."),
            Column::text("where", "longer", |row: &Self| row.place.clone()).means("The call, or the computation before it, that took longer."),
            Column::text("site", "call site", |row: &Self| row.site.clone()).means("Where that call is made."),
            Column::text("spent", "spent", |row: &Self| row.kind.to_string()).means("The kind of time that took longer.")
                .spare(1),
            Column::seconds("beyond_s", "by", |row: &Self| row.beyond).means("By how much it took longer than usual."),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_at_one_distance_come_every_so_often() {
        assert_eq!(spacing(&[39, 79, 119]), Some(40));
        assert_eq!(spacing(&[39, 79, 118]), None);
        assert_eq!(spacing(&[3, 4, 5]), None, "all of a stretch");
        assert_eq!(spacing(&[7, 9]), None, "two are chance");
        assert_eq!([1, 2, 3, 11, 22, 40].map(ordinal), ["1st", "2nd", "3rd", "11th", "22nd", "40th"]);
    }
}
