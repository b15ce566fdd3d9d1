//! `overhear imbalance`: how unevenly time is spread over the ranks.

use super::ByPlace;
use super::breakdown::unresolved;
use crate::breakdown::FunctionName;
use crate::imbalance::{ImbalanceSite, SpreadRow};
use crate::{cost, imbalance, overview};
use model::Run;
use tables::Report;
use tables::schema::Schema;

/// The report on the spread of time over the ranks.
pub fn report(run: &Run, by: ByPlace) -> Report {
    let mut warnings = crate::warnings::of_run(run);
    let table = match by {
        ByPlace::Function => imbalance::functions(run).into(),
        ByPlace::Site | ByPlace::Caller | ByPlace::Path => {
            warnings.extend(unresolved(run));
            imbalance::sites(run).into()
        }
    };
    Report { facts: overview::facts(run), warnings, tables: vec![table] }
}

pub fn schema() -> Schema {
    let schema = Schema::of("imbalance").facts(overview::FACTS).facts(cost::FACTS);
    schema.table::<SpreadRow<FunctionName>>().table::<SpreadRow<ImbalanceSite>>()
}
