//! An MPI and the transport between its ranks.

use std::path::Path;
use std::process::Command;

use examples::answer::Answer;
use examples::build;
use examples::mpi::Mpi;
use examples::run::{Case, Run, finish, overhear};
use examples::transport::transports;
use serde_json::Value;

/// MPIs on the pages.
const LIBRARIES: [&str; 4] = ["ompi4", "ompi5", "mpich4", "mpich5"];

/// An MPI over one transport.
pub struct Setting {
    pub mpi: Mpi,
    /// Name of the transport.
    pub way: &'static str,
    variables: Vec<(&'static str, &'static str)>,
}

/// A benchmark's output and trace.
pub struct Recorded {
    /// JSON that the benchmark printed.
    pub measured: Value,
    /// Trace of the run.
    pub run: Run,
}

/// All installed MPIs, each over shared memory and TCP.
pub fn all() -> Result<Vec<Setting>, String> {
    let here = LIBRARIES.iter().filter_map(|name| Mpi::named(name));
    let settings = here.flat_map(|mpi| {
        let ways = transports(&mpi).into_iter();
        let named = [("default", "shared memory"), ("tcp", "TCP")];
        let name = move |way: &str| named.iter().find(|(key, _)| *key == way).map(|(_, name)| *name);
        let ways = ways.filter_map(move |(way, variables)| Some((name(way)?, variables)));
        ways.map(move |(way, variables)| Setting { mpi: mpi.clone(), way, variables }).collect::<Vec<_>>()
    });
    let settings: Vec<Setting> = settings.collect();
    if settings.is_empty() { Err(format!("none of {} is here", LIBRARIES.join(", "))) } else { Ok(settings) }
}

impl Setting {
    /// Name in tables and captions.
    pub fn name(&self) -> String {
        let (family, version) = self.mpi.name.split_at(self.mpi.name.len() - 1);
        let family = if family == "ompi" { "Open MPI" } else { "MPICH" };
        format!("{family} {version}, {}", self.way)
    }

    /// False for MPICH 4 over UCX on more than two ranks: it often hangs in MPI_Finalize, recorded or not.
    pub fn can_run(&self, ranks: u32) -> bool {
        ranks <= 2 || self.mpi.name != "mpich4" || self.variables.is_empty()
    }

    pub fn record(&self, program: &str, ranks: u32, arguments: &[&str]) -> Result<Recorded, String> {
        let path = build::benchmarks(&self.mpi)?.join(program);
        let arguments = arguments.iter().chain(&["--json"]).map(|argument| argument.to_string()).collect();
        let variables = self.variables.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let case = Case { mpi: &self.mpi, path, arguments, ranks, variables };
        let (output, run) = case.recorded(&format!("papers-{program}-{}", self.way.replace(' ', "-")));
        if output.status != 0 {
            return Err(format!("{program} under {}: status {}: {}", self.name(), output.status, output.stderr));
        }
        let measured = serde_json::from_str(&output.stdout);
        let measured = measured.map_err(|error| format!("{program} under {}: {error}", self.name()))?;
        println!("{program}, {}", self.name());
        Ok(Recorded { measured, run })
    }
}

impl Recorded {
    pub fn ask(&self, analysis: &[&str]) -> Answer {
        self.run.ask(analysis[0], &analysis[1..])
    }

    /// Text that an analysis prints.
    pub fn print(&self, analysis: &[&str]) -> String {
        finish(Command::new(overhear()).args(analysis).arg(&self.run.folder)).stdout
    }

    pub fn draw(&self, analysis: &[&str], picture: &Path) -> Result<(), String> {
        let mut draw = Command::new(overhear());
        draw.args(analysis).arg(&self.run.folder).arg("--plot").arg(picture);
        let output = finish(&mut draw);
        // Exit status 4: part of the run is missing.
        if [0, 4].contains(&output.status) { Ok(()) } else { Err(format!("{draw:?}: {}", output.stderr)) }
    }
}

/// Formats the benchmark's and the trace's figure, both multiplied by `times`.
pub fn pair(program: Option<f64>, trace: Option<f64>, times: f64) -> String {
    let text = |value: Option<f64>| value.map_or("-".into(), |value| format!("{:.1}", value * times));
    format!("{} / {}", text(program), text(trace))
}
