//! Plans a query over the tables of the data set with Polars.

use data::heads;
use polars::prelude::{LazyFrame, PolarsResult};
use polars::sql::SQLContext;

pub fn plan(query: &str, table: impl Fn(&'static str) -> PolarsResult<LazyFrame>) -> PolarsResult<LazyFrame> {
    let mut context = SQLContext::new();
    for head in heads() {
        context.register(head.name, table(head.name)?);
    }
    context.execute(query)
}
