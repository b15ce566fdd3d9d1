//! What Polars makes of a query over the tables of the data set.

use data::heads;
use polars::prelude::{LazyFrame, PolarsResult};
use polars::sql::SQLContext;

/// A query over tables.
pub fn plan(query: &str, table: impl Fn(&'static str) -> PolarsResult<LazyFrame>) -> PolarsResult<LazyFrame> {
    let mut context = SQLContext::new();
    for head in heads() {
        context.register(head.name, table(head.name)?);
    }
    context.execute(query)
}
