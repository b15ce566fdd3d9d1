//! `overhear imbalance`: how unevenly time is spread over the ranks.

use super::breakdown::unresolved;
use super::open::open;
use super::print::print;
use crate::cli::{self, ByPlace};
use model::error::{Error, OK, PARTIAL};
use metrics::breakdown::FunctionName;
use metrics::imbalance::{ImbalanceSite, SpreadRow};
use metrics::{cost, imbalance, overview};
use model::Run;
use tables::Report;
use tables::schema::Schema;

/// Prints the table. Returns the exit status.
pub fn run(arguments: &cli::ImbalanceArgs) -> Result<u8, Error> {
    let run = open(&arguments.of)?;
    print(report(&run, arguments.by), "imbalance", &arguments.of.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}

/// The spread of time over the ranks.
pub fn report(run: &Run, by: ByPlace) -> Report {
    let mut warnings = overview::warnings(run);
    let table = match by {
        ByPlace::Function => imbalance::functions(run).into(),
        ByPlace::Site => {
            warnings.extend(unresolved(run));
            imbalance::sites(run).into()
        }
    };
    Report { facts: overview::facts(run), warnings, tables: vec![table] }
}

/// What its JSON looks like.
pub fn schema() -> Schema {
    let schema = Schema::of("imbalance").facts(overview::FACTS).facts(cost::FACTS);
    schema.table::<SpreadRow<FunctionName>>().table::<SpreadRow<ImbalanceSite>>()
}
