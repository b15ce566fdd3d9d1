//! Records planted waits with each rank on a host of its own and a wrong clock, and prints the alignment error and the
//! waits found.
//!
//! Our hosts share one kernel, so CLOCK_MONOTONIC, read on all of them, tells each clock's error.

use std::process::Command;

use examples::answer::{Answer, number};
use examples::build;
use examples::mpi::{self, Mpi};
use examples::planted_waits;
use examples::program::Program;
use examples::run::{Run, finish, fresh_folder, overhear};
use traces::definitions::{Definition, Occasion, Sync};
use traces::file::FileHeader;
use traces::read::RankFile;

use crate::hosts::{Hosts, over_tcp};

const PROGRAMS: [&str; 3] = ["late_sender", "nxn", "persistent_halo"];
/// Most ranks of any of the programs.
const HOSTS: u32 = 3;
/// Error of each rank's clock: offset in seconds, drift in millionths.
const CLOCKS: &str = "0:0,-5:100,3600.25:-100";

/// Runs the programs, and prints clock errors and waits.
pub fn run() -> Result<(), String> {
    mpi::install_all()?;
    build::overhear()?;
    let hosts = Hosts::make(HOSTS)?;
    println!("each rank on a host of its own, links of 1 Gbit/s (network namespaces, tc tbf); clocks off by {CLOCKS}");
    let mpi = Mpi::named("ompi4").or(Mpi::named("ompi5")).ok_or("there is no Open MPI")?;
    for name in PROGRAMS {
        let program = Program::read(name);
        let (run, stderr) = recorded(&program, &mpi, &hosts)?;
        println!("\n{name}, {} ranks", program.ranks);
        print_clocks(&run, &run.ask("check", &[]))?;
        print_waits(&program, &stderr, &run.ask("waits", &[]));
    }
    Ok(())
}

/// Records a program. Returns the run and the program's standard error.
fn recorded(program: &Program, mpi: &Mpi, hosts: &Hosts) -> Result<(Run, String), String> {
    let folder = fresh_folder(&format!("clocks/{}", program.name));
    let mut launch = mpi.launch(program.ranks);
    launch.splice(1..1, over_tcp(mpi, Some(hosts)));
    let mut record = Command::new(overhear());
    record.arg("record").arg("--dir").arg(&folder).args(launch).arg(program.build(mpi)).args(&program.arguments);
    mpi.set_environment(&mut record);
    let clocks: Vec<&str> = CLOCKS.split(',').take(program.ranks as usize).collect();
    let output = finish(record.env("OVERHEAR_TEST_CLOCK", clocks.join(",")));
    hosts.clear();
    match output.status {
        0 => Ok((Run { folder }, output.stderr)),
        status => Err(format!("{}: status {status}: {}{}", program.name, output.stdout, output.stderr)),
    }
}

/// The clock readings in a rank's file.
struct RecordedClock {
    header: FileHeader,
    syncs: Vec<Sync>,
}

impl RecordedClock {
    fn read(file: &std::path::Path) -> Result<RecordedClock, String> {
        let file = RankFile::open(file).map_err(|error| error.to_string())?;
        let sync = |definition| if let Definition::Sync(sync) = definition { Some(sync) } else { None };
        let syncs = file.contents().definitions.into_iter().filter_map(sync).collect();
        Ok(RecordedClock { header: *file.header(), syncs })
    }

    /// Converts ticks to microseconds.
    fn microseconds(&self, ticks: u64) -> f64 {
        let FileHeader { begin, end, .. } = &self.header;
        let tick = (end.monotonic - begin.monotonic) as f64 / (end.ticks.wrapping_sub(begin.ticks)) as f64;
        ticks as f64 * tick / 1e3
    }

    /// Shortest round trip to the rank it was compared with, that rank, and the number of attempts.
    fn round_trip(&self, when: Occasion) -> String {
        let Some(sync) = self.syncs.iter().find(|sync| sync.when == when) else { return "-".into() };
        let time = self.microseconds(sync.after.wrapping_sub(sync.before));
        format!("{time:.1} to {}, best of {}", sync.peer, sync.exchanges)
    }
}

fn print_clocks(run: &Run, check: &Answer) -> Result<(), String> {
    let clocks: Vec<RecordedClock> =
        run.files().iter().map(|file| RecordedClock::read(file)).collect::<Result<_, _>>()?;
    let rows = check.rows("clocks");
    println!(
        "{:4}{:>11}{:>10}{:>27}{:>11}{:>10}{:>27}",
        "rank", "begin off", "±", "round trip", "end off", "±", "round trip"
    );
    for (row, clock) in rows.iter().zip(&clocks) {
        let zero = (number(&rows[0], "begin_s"), clocks[0].header.begin.monotonic);
        // Alignment error in microseconds, relative to rank 0's begin.
        let off = |column: &str, monotonic: u64| {
            (number(row, column) - zero.0) * 1e6 - (monotonic.wrapping_sub(zero.1) as i64) as f64 / 1e3
        };
        println!(
            "{:4}{:11.3}{:10.3}{:>27}{:11.3}{:10.3}{:>27}",
            row["rank"],
            off("begin_s", clock.header.begin.monotonic),
            number(row, "begin_error_s") * 1e6,
            clock.round_trip(Occasion::Init),
            off("end_s", clock.header.end.monotonic),
            number(row, "end_error_s") * 1e6,
            clock.round_trip(Occasion::Finalize),
        );
    }
    println!(
        "microseconds; {} messages ran backwards, {} before clocks were moved",
        check.fact("backwards"),
        check.fact("backwards_before")
    );
    Ok(())
}

fn print_waits(program: &Program, stderr: &str, said: &Answer) {
    println!("{:>8}{:>10}{:>10}  s", "stated", "measured", "found");
    for finding in planted_waits::findings(program, stderr, said) {
        let measured = finding.measured.unwrap_or(f64::NAN);
        println!("{:8.3}{measured:10.6}{:10.6}  {}", finding.stated, finding.found, finding.wait);
    }
    match planted_waits::differences(program, stderr, said).as_slice() {
        [] => println!("as stated"),
        wrong => println!("not as stated:\n{}", wrong.join("\n")),
    }
}
