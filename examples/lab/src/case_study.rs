//! Repeats the case study of Gabriel, UH-CS-10-02: progress engines explain why one MPI takes longer than another.

use std::fmt::{self, Write};
use std::path::PathBuf;
use std::process::Command;

use examples::answer::{Answer, number};
use examples::build;
use examples::mpi::{self, Mpi};
use examples::run::{Run, finish, fresh_folder, overhear};
use serde_json::{Value, json};

use crate::hosts::{Hosts, over_tcp};

const RANKS: u32 = 4;
/// Runs of each program; the one with the median time is shown.
const RUNS: usize = 3;
/// Time limit of a run in seconds, and attempts. MPICH 4.0 over UCX often hangs in MPI_Finalize between hosts, one rank
/// spinning, with or without a recorder.
const LIMIT: &str = "30";
const TRIES: usize = 10;

/// A program's settings.
struct Variant {
    heading: &'static str,
    mpi: Mpi,
    flags: Vec<String>,
}

/// Runs the programs, and prints the paper's tables with our columns and conclusions.
pub fn run() -> Result<(), String> {
    let (text, folder) = study()?;
    println!("{text}\nThe runs are in {}", folder.display());
    Ok(())
}

/// Returns the text that [`run`] prints, and the runs' folder.
pub fn study() -> Result<(String, PathBuf), String> {
    let mut text = String::new();
    mpi::install_all()?;
    build::overhear()?;
    let hosts = Hosts::make(RANKS);
    match &hosts {
        Ok(_) => {
            writeln!(text, "{RANKS} ranks, each on a host of its own, links of 1 Gbit/s (network namespaces, tc tbf)")
        }
        Err(reason) => writeln!(text, "{RANKS} ranks on one host, over loopback: no hosts of our own here ({reason})"),
    }
    .map_err(told)?;
    let hosts = hosts.ok();
    let openmpi = Mpi::named("ompi4").or(Mpi::named("ompi5")).ok_or("there is no Open MPI")?;
    let setting = |heading, mpi: &Mpi, more: &[&str]| {
        let mut flags = over_tcp(mpi, hosts.as_ref());
        flags.extend(more.iter().map(|flag| flag.to_string()));
        Variant { heading, mpi: mpi.clone(), flags }
    };
    let mut settings = vec![
        setting("Open MPI, tuned", &openmpi, &[]),
        setting("Open MPI, basic", &openmpi, &["--mca", "coll", "^tuned"]),
    ];
    settings.extend(Mpi::named("mpich4").map(|mpich| setting("MPICH", &mpich, &[])));
    let sort = ["--keys", "23", "--key-bits", "19"];
    let (mut runs, mut left_out) = (Vec::new(), String::new());
    settings.retain(|setting| match median(setting, "integer_sort", &sort, hosts.as_ref()) {
        Ok(run) => {
            runs.push(run);
            true
        }
        Err(reason) => {
            left_out += &format!("! left out: {reason}\n");
            false
        }
    });
    if runs.is_empty() {
        return Err("no run came to its end".into());
    }
    text += &left_out;
    first_table(&mut text, &settings, &runs).map_err(told)?;
    let plain = &settings[0];
    let schemes = ["direct", "pulled", "collective"];
    let exchanges = schemes.map(|scheme| median(plain, "alltoallv_schemes", &[scheme], hosts.as_ref()));
    let [direct, pulled, collective] = exchanges;
    let exchanges = [direct?, pulled?, collective?];
    second_table(&mut text, &schemes, &exchanges).map_err(told)?;
    sort_verdict(&mut text, &settings, &runs).map_err(told)?;
    exchange_verdict(&mut text, &exchanges).map_err(told)?;
    let folder = exchanges[0].run.folder.clone();
    Ok((text, folder.parent().map(PathBuf::from).unwrap_or(folder)))
}

struct StudiedRun {
    run: Run,
    report: Answer,
    engine: Answer,
}

impl StudiedRun {
    fn wall(&self) -> f64 {
        self.report.fact("wall_time_s")
    }

    /// The longest time of a rank in a function, in seconds; `None` if no rank called it.
    fn most(&self, function: &str) -> Option<f64> {
        let rows = self.report.matching("functions", &[("function", json!(function))]);
        rows.first().map(|row| number(row, "time_max_s"))
    }

    /// The most seconds any rank spent in MPI between MPI_Init and MPI_Finalize.
    fn most_communicating(&self) -> f64 {
        let functions = self.report.rows("functions");
        let counts = |row: &&Value| row["function"] != "MPI_Init" && row["function"] != "MPI_Finalize";
        functions.iter().filter(counts).map(|row| number(row, "time_mean_s")).sum()
    }

    /// Sum of a ledger column over all ranks.
    fn ledger(&self, column: &str) -> f64 {
        self.engine.total("ledger", column, &[])
    }
}

fn median(setting: &Variant, program: &str, arguments: &[&str], hosts: Option<&Hosts>) -> Result<StudiedRun, String> {
    let path = build::benchmarks(&setting.mpi)?.join(program);
    let mut runs = Vec::new();
    let mut last = String::new();
    for number in 0..TRIES {
        if runs.len() == RUNS {
            break;
        }
        let name = format!("{program}-{}-{}-{number}", setting.heading, arguments.join("-")).replace([' ', ','], "");
        let folder = fresh_folder(&format!("case-study/{name}"));
        let mut launch = setting.mpi.launch(RANKS);
        launch.splice(1..1, setting.flags.iter().cloned());
        let mut record = Command::new("timeout");
        record.args(["--kill-after", "1", LIMIT]).arg(overhear()).arg("record").arg("--dir").arg(&folder);
        record.args(launch).arg(&path).args(arguments);
        setting.mpi.set_environment(&mut record);
        let output = finish(&mut record);
        if let Some(hosts) = hosts {
            hosts.clear();
        }
        if output.status == 0 && output.stdout.contains("verified") {
            let run = Run { folder };
            let [report, engine] = ["report", "progress"].map(|analysis| run.ask(analysis, &[]));
            runs.push(StudiedRun { run, report, engine });
        } else {
            last = format!("status {}: {}{}", output.status, output.stdout, output.stderr);
        }
    }
    runs.sort_by(|a, b| a.most_communicating().total_cmp(&b.most_communicating()));
    match runs.len() {
        0 => Err(format!("{}: {program} never came to its end in {TRIES} runs of {LIMIT} s: {last}", setting.heading)),
        length => Ok(runs.swap_remove(length / 2)),
    }
}

fn told(error: fmt::Error) -> String {
    error.to_string()
}

fn first_table(text: &mut String, settings: &[Variant], runs: &[StudiedRun]) -> fmt::Result {
    writeln!(
        text,
        "\nTable I: an integer sort of 2^23 keys, {RANKS} ranks; the most any rank spent in a function, seconds"
    )?;
    let mut line = |name: &str, values: Vec<String>| -> fmt::Result {
        let values: String = values.iter().map(|value| format!("{value:>18}")).collect();
        writeln!(text, "{name:24}{values}")
    };
    line("", settings.iter().map(|setting| setting.heading.to_string()).collect())?;
    line("overall time", runs.iter().map(|run| format!("{:.3}", run.wall())).collect())?;
    for function in
        ["MPI_Reduce", "MPI_Allreduce", "MPI_Alltoall", "MPI_Alltoallv", "MPI_Irecv", "MPI_Send", "MPI_Wait"]
    {
        let seconds = |run: &StudiedRun| run.most(function).map_or("-".into(), |seconds| format!("{seconds:.6}"));
        line(function, runs.iter().map(seconds).collect())?;
    }
    for (name, column, digits) in LEDGER {
        line(name, runs.iter().map(|run| format!("{:.digits$}", run.ledger(column), digits = *digits)).collect())?;
    }
    Ok(())
}

/// Rows of the ledger, over all ranks: the title here, the report's column, and decimal places.
const LEDGER: &[(&str, &str, usize)] = &[
    ("engine called", "entries", 0),
    ("  productive", "productive_entries", 0),
    ("sockets ready to receive", "ready_to_receive", 0),
    ("sockets ready to send", "ready_to_send", 0),
    ("time receiving, s", "receive_s", 6),
    ("time sending, s", "send_s", 6),
    ("time in the engine, s", "engine_s", 6),
    ("  in empty entries, s", "empty_s", 6),
];

fn second_table(text: &mut String, schemes: &[&str], runs: &[StudiedRun]) -> fmt::Result {
    writeln!(
        text,
        "\nTable II: 10 exchanges of 32 KiB between every two of {RANKS} ranks, Open MPI; all ranks together"
    )?;
    let heads: String = schemes.iter().map(|scheme| format!("{scheme:>18}")).collect();
    writeln!(text, "{:24}{heads}", "")?;
    let seconds: String = runs.iter().map(|run| format!("{:>18.6}", run.most_communicating())).collect();
    writeln!(text, "{:24}{seconds}", "in MPI, mean of ranks, s")?;
    for (name, column, digits) in LEDGER {
        let values: String =
            runs.iter().map(|run| format!("{:>18.digits$}", run.ledger(column), digits = *digits)).collect();
        writeln!(text, "{name:24}{values}")?;
    }
    Ok(())
}

/// `A is 1.8 times B`, or a statement that the two are too close to tell apart.
fn against(what: &str, a: f64, b: f64, named: &str) -> String {
    match a / b {
        ratio if !ratio.is_finite() => format!("{what}: not to be compared with {named}"),
        ratio if (0.9..1.1).contains(&ratio) => format!("{what}: about as much as {named} ({ratio:.2} times)"),
        ratio => format!("{what}: {ratio:.2} times that of {named}"),
    }
}

fn sort_verdict(text: &mut String, settings: &[Variant], runs: &[StudiedRun]) -> fmt::Result {
    writeln!(text, "\nThe integer sort")?;
    let first = (&settings[0], &runs[0]);
    for (setting, run) in settings.iter().zip(runs).skip(1) {
        let time = against("time in MPI", run.most_communicating(), first.1.most_communicating(), first.0.heading);
        let entries =
            against("entries into the engine", run.ledger("entries"), first.1.ledger("entries"), first.0.heading);
        writeln!(text, "- {}: {time}; {entries}", setting.heading)?;
    }
    for (setting, run) in settings.iter().zip(runs) {
        let (entries, productive) = (run.ledger("entries"), run.ledger("productive_entries"));
        let (engine, empty) = (run.ledger("engine_s"), run.ledger("empty_s"));
        writeln!(
            text,
            "- {}: {:.1} entries per productive entry; {:.0} % of the engine's {engine:.3} s in empty ones",
            setting.heading,
            entries / productive.max(1.0),
            100.0 * empty / engine.max(1e-12)
        )?;
    }
    Ok(())
}

fn exchange_verdict(text: &mut String, runs: &[StudiedRun; 3]) -> fmt::Result {
    writeln!(text, "\nThe exchange")?;
    let [direct, pulled, _] = runs;
    let (entries, time) = (
        direct.ledger("entries") / pulled.ledger("entries").max(1.0),
        direct.most_communicating() / pulled.most_communicating().max(1e-12),
    );
    writeln!(text, "- the direct scheme enters the engine {entries:.2} times as often as the pulled one")?;
    writeln!(text, "- it takes {time:.2} times as long")?;
    let verdict = match (entries > 1.1, time > 1.1) {
        (true, true) => "so here, as in the paper, the scheme that enters the engine more often is the slower one",
        (true, false) => "so here, unlike in the paper, entering the engine more often does not make it slower",
        (false, true) => "so here the direct scheme is slower, and not because it enters the engine more often",
        (false, false) => {
            "so here the paper's difference does not show: the direct scheme neither enters more nor waits more"
        }
    };
    writeln!(text, "- {verdict}")?;
    Ok(())
}
