//! `overhear imbalance`: how unevenly time is spread over the ranks.

use super::open::open;
use super::print::print;
use crate::cli::{self, ByPlace};
use crate::error::{Error, OK, PARTIAL};
use crate::metrics::breakdown::FunctionName;
use crate::metrics::imbalance::{ImbalanceSite, SpreadRow};
use crate::metrics::{cost, imbalance, overview};
use crate::report::Report;
use crate::report::schema::Schema;

/// Prints the table. Returns the exit status.
pub fn run(arguments: &cli::Imbalance) -> Result<u8, Error> {
    let run = open(&arguments.of)?;
    let mut warnings = overview::warnings(&run);
    let table = match arguments.by {
        ByPlace::Function => imbalance::functions(&run).into(),
        ByPlace::Site => {
            warnings.extend(super::report::unresolved(&run));
            imbalance::sites(&run).into()
        }
    };
    let report = Report { facts: overview::facts(&run), warnings, tables: vec![table] };
    print(report, "imbalance", &arguments.of.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}

/// What its JSON looks like.
pub fn schema() -> Schema {
    let schema = Schema::of("imbalance").facts(overview::FACTS).facts(cost::FACTS);
    schema.table::<SpreadRow<FunctionName>>().table::<SpreadRow<ImbalanceSite>>()
}
