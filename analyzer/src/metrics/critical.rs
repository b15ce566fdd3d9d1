//! The critical path by place: what the run's length consists of.

use rustc_hash::FxHashMap;

use super::totals::{percent, rank_value};
use crate::model::Run;
use crate::model::critical::{Stretch, Time, Where};
use crate::model::sums::{Grow, Total};
use crate::report::{Column, Fact, Table, Value};

/// Rows that people are shown of each table.
const ROWS: usize = 15;

fn seconds(nanoseconds: i64) -> f64 {
    nanoseconds as f64 / 1e9
}

/// How long it is, and what it consists of.
pub fn facts(path: &[Stretch], places: &FxHashMap<Where, Time>) -> Vec<Fact> {
    let length: i64 = path.iter().map(|stretch| stretch.to - stretch.from).total();
    let in_mpi: i64 =
        places.iter().filter(|(place, _)| place.in_mpi).flat_map(|(_, time)| time.on_path.values().copied()).total();
    let mut ranks: Vec<u32> = path.iter().map(|stretch| stretch.rank).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let share = 100.0 * in_mpi as f64 / (length as f64).max(1.0);
    vec![
        Fact::new("path_s", "path", Value::Seconds(seconds(length))).note(format!(
            ", {share:.1} % of it in MPI, over {} ranks, from one to another {} times",
            ranks.len(),
            path.len().saturating_sub(1)
        )),
        Fact::hidden("path_in_mpi_s", Value::Seconds(seconds(in_mpi))),
        Fact::hidden("path_jumps", Value::Count(path.len().saturating_sub(1) as u64)),
    ]
}

/// One row for each place on the path, the longest first. A call saves at most its time on the path, if it took none;
/// computation what it has there over the ranks' mean, if it were spread evenly.
pub fn table(run: &Run, places: &FxHashMap<Where, Time>) -> Table {
    let columns = vec![
        Column::new("where", "on the path"),
        Column::new("site", "call site"),
        Column::new("path_s", "time"),
        Column::new("path_percent", "%"),
        Column::new("rank", "most"),
        Column::hidden("rank_s"),
        Column::hidden("mean_s"),
        Column::new("saves_s", "saves"),
    ];
    let all: i64 = places.values().flat_map(|time| time.on_path.values().copied()).total();
    let mut rows: Vec<(i64, Vec<Value>)> = Vec::new();
    for (place, time) in places.iter().filter(|(_, time)| !time.on_path.is_empty()) {
        let on_path: i64 = time.on_path.values().copied().total();
        let most = time.on_path.iter().max_by_key(|(rank, time)| (**time, std::cmp::Reverse(**rank)));
        let Some((rank, most)) = most else { continue };
        let mean = time.total / run.asked().count().max(1) as i64;
        let saves = if place.in_mpi { on_path } else { on_path.saturating_sub(mean).max(0) };
        let function = &place.place.function;
        let name = if place.in_mpi { function.clone() } else { format!("before {function}") };
        rows.push((
            on_path,
            vec![
                Value::Text(name),
                Value::Text(place.place.site.clone()),
                Value::Seconds(seconds(on_path)),
                percent(on_path as f64, all as f64),
                rank_value(&run.ranks[*rank as usize]),
                Value::Seconds(seconds(*most)),
                Value::Seconds(seconds(mean)),
                Value::Seconds(seconds(saves)),
            ],
        ));
    }
    rows.sort_by(|(one, a), (other, b)| other.cmp(one).then_with(|| format!("{a:?}").cmp(&format!("{b:?}"))));
    let rows = rows.into_iter().map(|(_, row)| row).collect();
    Table::new("path", "computation and calls that the run's length consists of", columns, rows).most(ROWS)
}

/// Time on the path by rank, the longest first.
pub fn ranks(run: &Run, path: &[Stretch]) -> Table {
    let mut times: FxHashMap<u32, i64> = FxHashMap::default();
    path.iter().for_each(|stretch| times.entry(stretch.rank).or_default().grow(stretch.to - stretch.from));
    let all: i64 = times.values().copied().total();
    let mut times: Vec<(u32, i64)> = times.into_iter().collect();
    times.sort_by_key(|(rank, time)| (std::cmp::Reverse(*time), *rank));
    let columns = vec![
        Column::new("rank", "rank"),
        Column::new("path_s", "{unit} on the path"),
        Column::new("path_percent", "%"),
    ];
    let row = |(rank, time): (u32, i64)| {
        vec![rank_value(&run.ranks[rank as usize]), Value::Seconds(seconds(time)), percent(time as f64, all as f64)]
    };
    let rows = times.into_iter().map(row).collect();
    Table::new("ranks", "", columns, rows).most(ROWS)
}
