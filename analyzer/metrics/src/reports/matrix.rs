//! `overhear matrix`: who sent how much to whom.

use crate::{cost, matrix, overview};
use model::Run;
use tables::schema::Schema;
use tables::{Report, Sheet};

pub fn report(run: &Run, matrix: &matrix::Matrix) -> Report {
    let tables = matrix.square().map(Sheet::from).into_iter().chain([matrix.pairs().into()]).collect();
    let mut facts = overview::facts(run);
    facts.extend(matrix.facts());
    let warnings = [matrix.warnings(), crate::warnings::of_run(run)].concat();
    Report { facts, warnings, tables }
}

pub fn schema() -> Schema {
    let schema = Schema::of("matrix").facts(overview::FACTS).facts(cost::FACTS).facts(matrix::FACTS);
    schema.table::<matrix::TrafficRow>()
}
