//! `overhear files`: the files that ranks accessed between their calls of MPI.

use super::breakdown::unresolved;
use crate::files::{self, AccessRow, FileRow, RankFilesRow};
use crate::{cost, overview};
use model::Run;
use model::error::Error;
use tables::Report;
use tables::schema::Schema;

/// The report on the ranks' files.
pub fn analyze(run: &Run) -> Result<Report, Error> {
    run.needs_calls("files")?;
    let ranks = files::of_files(run);
    let mut warnings = crate::warnings::of_run(run);
    warnings.extend(unresolved(run));
    if ranks.is_empty() {
        warnings.push(
            "no access to a file was recorded: the recorder sees those of threads that call MPI, from MPI_Init to \
             MPI_Finalize"
                .into(),
        );
    }
    let tables =
        vec![files::by_file(&ranks).into(), files::by_place(run, &ranks).into(), files::by_rank(&ranks).into()];
    Ok(Report { facts: overview::facts(run), warnings, tables })
}

pub fn schema() -> Schema {
    let schema = Schema::of("files").facts(overview::FACTS).facts(cost::FACTS);
    schema.table::<FileRow>().table::<AccessRow>().table::<RankFilesRow>()
}
