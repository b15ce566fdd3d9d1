//! A data set on an engine: its tables and views by name, once it is known to be whole.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;

use arrow_array::RecordBatch;
use data::VERSION;
use data::engine_sql::{TABLES, VIEWS, query};
use metrics::overview::{HOSTS, MPI_LIBRARY, MPI_TIME_MAX, MPI_TIME_MEAN, MPI_TIME_MIN, PROGRAM, RANKS, WALL_TIME};
use metrics::words::{numbers, plural};
use model::error::Error;
use tables::{Fact, Value, WorldRank};

use crate::rows::{EngineRow, each};
use crate::session::Session;

pub struct ExportedSet {
    session: Session,
    folder: String,
    pub figures: RunFigures,
    /// Ranks of the launched world that are not there.
    pub missing: Vec<RangeInclusive<u32>>,
}

/// Figures of all ranks, times in seconds.
#[derive(Clone, Default)]
pub struct RunFigures {
    program: String,
    mpi: String,
    pub ranks: u64,
    hosts: u64,
    wall_max: f64,
    pub wall_total: f64,
    pub in_mpi_total: f64,
    in_mpi_min: f64,
    in_mpi_max: f64,
    pub profiles: u64,
}

impl ExportedSet {
    /// Fails if the folder holds no data set, one of another version, one of several runs, or one that lacks a part of a rank.
    pub fn open(url: &str, folder: &str) -> Result<ExportedSet, Error> {
        let session = Session::of(url)?;
        let folder = folder.trim_end_matches('/').to_string();
        for name in TABLES {
            session.table(name, &format!("{folder}/{name}"))?;
        }
        let mut set = ExportedSet { session, folder, figures: RunFigures::default(), missing: Vec::new() };
        set.figures = set.of_one_run()?;
        set.is_complete()?;
        set.missing = set.missing_ranks()?;
        for (name, text) in VIEWS {
            set.session.view(name, text)?;
        }
        Ok(set)
    }

    /// The rows of a query of `data::engine_sql`.
    pub fn rows(&self, name: &str) -> Result<Vec<RecordBatch>, Error> {
        let text = query(name).ok_or_else(|| Error::Other(format!("no query is called {name}")))?;
        self.session.rows(text)
    }

    fn of_one_run(&self) -> Result<RunFigures, Error> {
        // Engines give one error for a folder without files, and another for a table without the column.
        let batches = self.rows("data_set").map_err(|error| {
            Error::Other(format!(
                "{}: the engine finds no data set there, or one that an older overhear wrote. overhear export RUN DIR --to parquet \
                 --tables engine writes one, in a folder that all workers see. {error}",
                self.folder
            ))
        })?;
        let mut runs: BTreeMap<String, u64> = BTreeMap::new();
        let mut figures = RunFigures { in_mpi_min: f64::INFINITY, ..RunFigures::default() };
        for row in each(&batches) {
            let version = row.count("version")?;
            if version != VERSION {
                return Err(Error::Other(format!(
                    "{}: version {version} of the data set, and this overhear reads version {VERSION}. Export the run again with this one.",
                    self.folder
                )));
            }
            if let Some(run) = row.text("run")? {
                *runs.entry(run).or_default() += row.count("processes")?;
            }
            figures.add(&row)?;
        }
        if figures.ranks == 0 {
            return Err(Error::Other(format!("{}: the data set has no rank. Export the run again.", self.folder)));
        }
        if runs.len() > 1 {
            let line = |(run, processes): (&String, &u64)| {
                format!("run {}...: {}", run.get(..8).unwrap_or(run), plural(*processes, "rank"))
            };
            return Err(Error::Mixed { folder: Path::new(&self.folder).into(), runs: runs.iter().map(line).collect() });
        }
        Ok(figures)
    }

    fn is_complete(&self) -> Result<(), Error> {
        let batches = self.rows("incomplete_tables")?;
        let Some(row) = each(&batches).next() else { return Ok(()) };
        let (table, processes) = (row.text("name")?.unwrap_or_default(), row.count("processes")?);
        let first = row.process("process")?.unwrap_or_default();
        Err(Error::Other(format!(
            "{}/{table}: lacks rows of {}, rank {first} first, which the table ranks has. Export these ranks again with \
             --tables engine.",
            self.folder,
            plural(processes, "rank"),
        )))
    }

    fn missing_ranks(&self) -> Result<Vec<RangeInclusive<u32>>, Error> {
        let batches = self.rows("missing_ranks")?;
        let range = |row: EngineRow<'_>| Ok(row.count("first_rank")? as u32..=row.count("last_rank")? as u32);
        each(&batches).map(range).collect()
    }

    pub fn facts(&self) -> Vec<Fact> {
        let figures = &self.figures;
        let note = format!(", {} on {}", plural(figures.ranks, "rank"), plural(figures.hosts, "host"));
        let seconds = Value::Seconds;
        let mean = figures.in_mpi_total / figures.ranks as f64;
        vec![
            Fact::new(PROGRAM, "run", Value::Text(figures.program.clone())).note(note),
            Fact::hidden(RANKS, Value::Count(figures.ranks)),
            Fact::hidden(HOSTS, Value::Count(figures.hosts)),
            Fact::hidden(MPI_LIBRARY, Value::Text(figures.mpi.clone())),
            Fact::new(WALL_TIME, "wall time", seconds(figures.wall_max)),
            Fact::new(MPI_TIME_MEAN, "in MPI", seconds(mean))
                .note(" mean; min ")
                .figure(seconds(figures.in_mpi_min))
                .note(", max ")
                .figure(seconds(figures.in_mpi_max)),
            Fact::hidden(MPI_TIME_MIN, seconds(figures.in_mpi_min)),
            Fact::hidden(MPI_TIME_MAX, seconds(figures.in_mpi_max)),
        ]
    }

    pub fn warnings(&self) -> Vec<String> {
        let missing = (!self.missing.is_empty())
            .then(|| format!("no file from {}: no figure includes what they did", numbers(&self.missing)));
        missing.into_iter().collect()
    }
}

impl RunFigures {
    /// Adds the figures of a world.
    fn add(&mut self, row: &EngineRow<'_>) -> Result<(), Error> {
        if self.ranks == 0 || row.count("world")? == 0 {
            self.program = row.text("program")?.unwrap_or_default();
            self.mpi = row.text("mpi")?.unwrap_or_default();
        }
        self.ranks += row.count("processes")?;
        // Spawned worlds mostly share the hosts of the first.
        self.hosts = self.hosts.max(row.count("hosts")?);
        self.wall_max = self.wall_max.max(row.real("wall_max_s")?);
        self.wall_total += row.real("wall_total_s")?;
        self.in_mpi_total += row.real("in_mpi_total_s")?;
        self.in_mpi_min = self.in_mpi_min.min(row.real("in_mpi_min_s")?);
        self.in_mpi_max = self.in_mpi_max.max(row.real("in_mpi_max_s")?);
        self.profiles += row.count("profiles")?;
        Ok(())
    }
}

/// The rank that a column names, which must be there.
pub fn rank(row: &EngineRow<'_>, name: &str) -> Result<WorldRank, Error> {
    row.process(name)?.ok_or_else(|| Error::Other(format!("the engine's answer has a row without {name}")))
}
