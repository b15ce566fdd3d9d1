//! `overhear settings`: what MPI, its network and threads were set to.

use crate::settings::{SettingRow, UNSEEN, table, variables};
use crate::{cost, overview};
use model::Run;
use tables::Report;
use tables::schema::Schema;

/// The report on the settings of the first rank.
pub fn analyze(run: &Run) -> Report {
    let mut warnings = crate::warnings::of_run(run);
    if variables(run).is_empty() {
        warnings.push(
            "only variables of the environment are known: the recorder does not ask Intel MPI, and earlier recorders asked no library".into(),
        );
    } else {
        warnings.push(format!("of settings, {UNSEEN} are not recorded"));
    }
    Report { facts: overview::facts(run), warnings, tables: vec![table(run).into()] }
}

pub fn schema() -> Schema {
    Schema::of("settings").facts(overview::FACTS).facts(cost::FACTS).table::<SettingRow>()
}
