//! A loaded run, its tables, and the results of analyses.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use data::heads;
use metrics::paths::PathChoice;
use metrics::reports::{ByEngine, RunAnalysis};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tables::Named;

use crate::error::raised;
use crate::table::Table;

/// A loaded run, wrapped by overhear.Run.
#[pyclass(frozen)]
pub struct Run {
    run: Arc<model::Run>,
    /// The run with MPI_Init and MPI_Finalize, for the data set.
    whole: OnceLock<Arc<model::Run>>,
}

#[pymethods]
impl Run {
    /// Reads the selected part of the run in a folder, or of the newest in the working folder. Times are in
    /// nanoseconds.
    #[new]
    #[pyo3(signature = (folder, region, ranks, from_ns, to_ns, whole, cache))]
    fn new(
        py: Python<'_>,
        folder: Option<PathBuf>,
        region: Option<String>,
        ranks: Option<&str>,
        from_ns: Option<i64>,
        to_ns: Option<i64>,
        whole: bool,
        cache: bool,
    ) -> PyResult<Run> {
        let ranks = ranks.map(parsed).transpose()?;
        let choice =
            model::Choice { region, ranks, from: from_ns, to: to_ns, whole, no_cache: !cache, ..Default::default() };
        let run = py.detach(|| model::Run::open(folder.as_deref(), choice, &|_, _| {}));
        run.map(|run| Run { run: Arc::new(run), whole: OnceLock::new() }).map_err(|error| raised(&error))
    }

    /// Folder of the run.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.run.folder.clone()
    }

    /// Number of ranks in MPI_COMM_WORLD.
    #[getter]
    fn size(&self) -> u32 {
        self.run.size()
    }

    /// True if part of the run's data is missing.
    #[getter]
    fn is_partial(&self) -> bool {
        self.run.is_partial()
    }

    /// Warnings about the figures.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        metrics::warnings::of_run(&self.run)
    }

    /// Names of all tables.
    #[staticmethod]
    fn table_names() -> Vec<&'static str> {
        heads().iter().map(|head| head.name).collect()
    }

    /// The table of this name, with these columns or all.
    fn table(&self, py: Python<'_>, name: &str, columns: Option<Vec<String>>) -> PyResult<Table> {
        Table::of(&self.data(py)?, name, columns)
    }

    fn report(&self, py: Python<'_>, by: &str) -> PyResult<String> {
        self.json(py, &RunAnalysis::Report(parsed(by)?))
    }

    fn progress(&self, py: Python<'_>, by: Option<&str>) -> PyResult<String> {
        self.json(py, &RunAnalysis::Progress(by.map(chosen::<ByEngine>).transpose()?))
    }

    fn waits(&self, py: Python<'_>, by: &str) -> PyResult<String> {
        self.json(py, &RunAnalysis::Waits(chosen(by)?))
    }

    fn why(&self, py: Python<'_>, by: &str) -> PyResult<String> {
        self.json(py, &RunAnalysis::Why(chosen(by)?))
    }

    fn path(&self, py: Python<'_>, by: &str) -> PyResult<String> {
        self.json(py, &RunAnalysis::Path(chosen(by)?))
    }

    fn paths(&self, py: Python<'_>) -> PyResult<String> {
        self.json(py, &RunAnalysis::Paths(PathChoice::default()))
    }

    fn overlap(&self, py: Python<'_>, by: &str) -> PyResult<String> {
        self.json(py, &RunAnalysis::Overlap(chosen(by)?))
    }

    fn network(&self, py: Python<'_>) -> PyResult<String> {
        self.json(py, &RunAnalysis::Network)
    }

    fn fanout(&self, py: Python<'_>, by: &str) -> PyResult<String> {
        self.json(py, &RunAnalysis::Fanout(chosen(by)?))
    }

    fn pop(&self, py: Python<'_>) -> PyResult<String> {
        self.json(py, &RunAnalysis::Pop)
    }

    fn matrix(&self, py: Python<'_>, comm: Option<String>, only: Option<&str>) -> PyResult<String> {
        self.json(py, &RunAnalysis::Matrix(comm, only.map(chosen).transpose()?))
    }

    fn imbalance(&self, py: Python<'_>, by: &str) -> PyResult<String> {
        self.json(py, &RunAnalysis::Imbalance(chosen(by)?))
    }

    fn teams(&self, py: Python<'_>, by: &str) -> PyResult<String> {
        self.json(py, &RunAnalysis::Teams(chosen(by)?))
    }

    fn files(&self, py: Python<'_>, by: &str) -> PyResult<String> {
        self.json(py, &RunAnalysis::Files(chosen(by)?))
    }

    fn sleeps(&self, py: Python<'_>, by: &str) -> PyResult<String> {
        self.json(py, &RunAnalysis::Sleeps(chosen(by)?))
    }

    fn settings(&self, py: Python<'_>) -> PyResult<String> {
        self.json(py, &RunAnalysis::Settings)
    }

    fn check(&self, py: Python<'_>, by: &str) -> PyResult<String> {
        self.json(py, &RunAnalysis::Check(chosen(by)?))
    }
}

impl Run {
    /// The run with MPI_Init and MPI_Finalize; if it was loaded without, it is read again.
    fn data(&self, py: Python<'_>) -> PyResult<Arc<model::Run>> {
        if self.run.choice.whole {
            return Ok(Arc::clone(&self.run));
        }
        if let Some(whole) = self.whole.get() {
            return Ok(Arc::clone(whole));
        }
        let choice = model::Choice { whole: true, ..self.run.choice.clone() };
        let read = py.detach(|| model::Run::select(&self.run.folder, &choice)).map_err(|error| raised(&error))?;
        Ok(Arc::clone(self.whole.get_or_init(|| Arc::new(read))))
    }

    /// Output of the command with `--format json`. Releases the GIL meanwhile.
    fn json(&self, py: Python<'_>, analysis: &RunAnalysis) -> PyResult<String> {
        py.detach(|| analysis.json(&self.run)).map_err(|error| raised(&error))
    }
}

/// Parses an argument as the command line does.
fn parsed<T: FromStr<Err = String>>(text: &str) -> PyResult<T> {
    text.parse().map_err(|wrong| PyValueError::new_err(format!("{text:?}: {wrong}")))
}

/// Parses an argument that is one of a few names.
fn chosen<T: Named>(text: &str) -> PyResult<T> {
    T::named(text).map_err(|wrong| PyValueError::new_err(format!("{text:?}: {wrong}")))
}
