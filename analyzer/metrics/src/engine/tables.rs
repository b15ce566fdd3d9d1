//! The tables of the ledger: of the whole run, and by rank.

use super::figures::{FIGURES, LedgerFigure};
use super::ledger::Ledger;
use crate::meaning;
use crate::totals::world_rank;
use model::{Rank, Run};
use tables::{Column, Label, Row, Table, Value, WorldRank};

/// A figure over all ranks: the total, the mean, the maximum and its rank.
pub struct LedgerRow {
    figure: Label,
    total: Value,
    mean: Value,
    max: Value,
    max_rank: Option<WorldRank>,
}

impl Row for LedgerRow {
    const TABLE: &'static str = "ledger";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::label("figure", "the ledger", |row: &Self| row.figure).means(meaning::FIGURE),
            Column::by_row("total", "total", |row: &Self| row.total.clone()),
            Column::by_row("mean", "mean", |row: &Self| row.mean.clone()),
            Column::by_row("max", "max", |row: &Self| row.max.clone()),
            Column::rank("max_rank", "rank", |row: &Self| row.max_rank).means(meaning::MAX_RANK),
        ]
    }
}

/// The ledger for people, with one row for each figure. Programs get it by rank.
pub fn ledger(run: &Run) -> Table<LedgerRow> {
    let asked: Vec<&Rank> = run.asked().collect();
    let ranks: Vec<Ledger> = asked.iter().map(|rank| Ledger::of(rank)).collect();
    let total = Ledger::of_run(run);
    let row = |figure: &LedgerFigure| {
        let values: Vec<f64> = ranks.iter().map(|ledger| figure.number(ledger)).collect();
        let (most, at) = values.iter().zip(0..).fold((f64::MIN, 0), |a, (v, at)| if *v > a.0 { (*v, at) } else { a });
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        LedgerRow {
            figure: figure.label,
            total: figure.value(&total),
            mean: figure.in_its_unit(mean),
            max: figure.in_its_unit(most),
            max_rank: (most > 0.0).then(|| world_rank(asked[at])),
        }
    };
    let shown = FIGURES.iter().filter(|figure| figure.is_shown(&total));
    Table::new("", shown.map(row).collect()).whole().for_people()
}

pub struct RankLedgerRow {
    rank: WorldRank,
    ledger: Ledger,
    /// Whether the engine can be seen.
    is_seen: bool,
}

impl Row for RankLedgerRow {
    const TABLE: &'static str = "ledger";
    fn columns() -> Vec<Column<Self>> {
        let mut columns = vec![Column::rank("rank", "rank", |row: &Self| row.rank).means(meaning::RANK)];
        columns.extend(FIGURES.iter().map(|figure| {
            if figure.is_of_engine {
                figure.column(|row: &Self| row.is_seen.then_some(&row.ledger))
            } else {
                figure.column(|row: &Self| Some(&row.ledger))
            }
        }));
        columns
    }
}

/// The ledger with one row for each rank.
pub fn by_rank(run: &Run) -> Table<RankLedgerRow> {
    let is_seen = Ledger::of_run(run).entries > 0;
    let row = |rank: &Rank| RankLedgerRow { rank: world_rank(rank), ledger: Ledger::of(rank), is_seen };
    let title = "the engine by rank: calls, time; sockets ready; time receiving, sending";
    Table::new(title, run.asked().map(row).collect())
}
