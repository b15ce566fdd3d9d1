//! Plans a query over empty tables, to find the columns that it needs of each.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use polars::prelude::{
    AnonymousScan, AnonymousScanArgs, DataFrame, LazyFrame, PolarsResult, ScanArgsAnonymous, Schema,
};

use crate::frame::schema;
use crate::plan::plan;
use data::{TableHead, heads};
use model::parallel::lock;

/// The columns that a query needs, by table.
pub struct Rehearsal {
    needed: BTreeMap<&'static str, BTreeSet<String>>,
}

impl Rehearsal {
    /// Puts the query. Fails as it would fail over a run.
    pub fn of(query: &str) -> PolarsResult<Rehearsal> {
        let needed: Needed = Arc::default();
        let heads = heads();
        let empty = |name: &'static str| {
            let head = heads.iter().find(|head| head.name == name).cloned();
            EmptyTable { name, schema: Arc::new(head_schema(head.as_ref())), needed: Arc::clone(&needed) }.scanned()
        };
        plan(query, empty)?.collect()?;
        let needed = std::mem::take(&mut *lock(&needed));
        Ok(Rehearsal { needed })
    }

    /// The columns that the query needs of a table; `None` if it does not name the table.
    pub fn needed(&self, table: &str) -> Option<&BTreeSet<String>> {
        self.needed.get(table)
    }
}

fn head_schema(head: Option<&TableHead>) -> Schema {
    head.map_or_else(Schema::default, |head| schema(&head.columns))
}

type Needed = Arc<Mutex<BTreeMap<&'static str, BTreeSet<String>>>>;

/// Notes the columns that Polars asks for.
struct EmptyTable {
    name: &'static str,
    schema: Arc<Schema>,
    needed: Needed,
}

impl EmptyTable {
    fn scanned(self) -> PolarsResult<LazyFrame> {
        let schema = Some(Arc::clone(&self.schema));
        LazyFrame::anonymous_scan(Arc::new(self), ScanArgsAnonymous { schema, ..ScanArgsAnonymous::default() })
    }
}

impl AnonymousScan for EmptyTable {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn scan(&self, asked: AnonymousScanArgs) -> PolarsResult<DataFrame> {
        let all = || self.schema.iter_names().map(|name| name.to_string()).collect::<Vec<_>>();
        let columns = asked.with_columns.map_or_else(all, |some| some.iter().map(|name| name.to_string()).collect());
        let frame = DataFrame::empty_with_schema(&self.schema).select(&columns)?;
        lock(&self.needed).entry(self.name).or_default().extend(columns);
        Ok(frame)
    }

    fn allows_projection_pushdown(&self) -> bool {
        true
    }
}
