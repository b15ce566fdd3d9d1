//! Counts how often `overhear diagnose` puts the planted cause of a program first, and finds nothing in its twin
//! without it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use examples::build;
use examples::diagnosis::{self, SETTINGS, Setting};
use examples::held_out::HeldOutSet;
use examples::mpi::{self, Mpi};

use crate::held_out::{self, Runs};

/// One library of each family.
const LIBRARIES: &str = "ompi4,mpich4";
/// Heading of the planted programs' part of docs/diagnosis.md.
const HEADING: &str = "# How often the first screen is right";

/// Programs with planted causes.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Set {
    /// examples/programs/diagnosis, which the rules grew up with
    Planted,
    /// examples/programs/held_out, whose truth was stated before their author read a rule
    HeldOut,
    /// examples/programs/unseen, by another author, who had not read them either
    Unseen,
    /// examples/programs/third, by another author again
    Third,
    /// examples/programs/fourth, by yet another author
    Fourth,
}

#[derive(clap::Args)]
pub struct DiagnosisArgs {
    /// The programs
    #[arg(long, value_enum, default_value_t = Set::Planted)]
    set: Set,
    /// Only under these MPIs, such as ompi4,mpich5 [default: ompi4,mpich4]
    #[arg(long)]
    mpi: Option<String>,
    /// How often each program runs in each setting; of held-out ones, the run during which others used the fewest cores counts
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// Judge the runs that an earlier call left in this folder, such as target/runs, instead of new ones
    #[arg(long, conflicts_with = "runs")]
    kept: Option<PathBuf>,
    /// Only in settings whose titles contain this, such as "8 ranks that sleep"
    #[arg(long)]
    setting: Option<String>,
    /// Write the table to docs/diagnosis.md
    #[arg(long, conflicts_with_all = ["setting", "name"])]
    write: bool,
    /// Only programs whose names contain this
    name: Option<String>,
}

/// Runs, and the correctly judged ones.
#[derive(Clone, Copy, Default)]
struct Tally {
    runs: u64,
    right: u64,
}

impl Tally {
    fn add(&mut self, is_right: bool) {
        self.runs += 1;
        self.right += u64::from(is_right);
    }

    fn merge(&mut self, other: Tally) {
        self.runs += other.runs;
        self.right += other.right;
    }
}

/// Counts for a program and for its twin.
#[derive(Clone, Copy, Default)]
struct Pair {
    planted: Tally,
    twin: Tally,
}

/// Runs a set of programs. Fails below 95 % of correct judgements of the planted ones.
pub fn run(arguments: &DiagnosisArgs) -> Result<(), String> {
    mpi::install_all()?;
    build::overhear()?;
    let mpis = Mpi::all_of(Some(arguments.mpi.as_deref().unwrap_or(LIBRARIES)));
    match arguments.set {
        Set::Planted => run_planted(arguments, &mpis),
        Set::HeldOut => run_held_out(HeldOutSet::HeldOut, arguments, &mpis),
        Set::Unseen => run_held_out(HeldOutSet::Unseen, arguments, &mpis),
        Set::Third => run_held_out(HeldOutSet::Third, arguments, &mpis),
        Set::Fourth => run_held_out(HeldOutSet::Fourth, arguments, &mpis),
    }
}

fn run_held_out(set: HeldOutSet, arguments: &DiagnosisArgs, mpis: &[Mpi]) -> Result<(), String> {
    let runs = arguments.kept.clone().map_or(Runs::New(arguments.runs), Runs::Kept);
    let text = held_out::run(set, mpis, &runs, arguments.name.as_deref())?;
    println!("{text}");
    if arguments.write {
        held_out::replace_part(held_out::heading(set), &text)?;
    }
    Ok(())
}

fn run_planted(arguments: &DiagnosisArgs, mpis: &[Mpi]) -> Result<(), String> {
    let programs = diagnosis::programs(arguments.name.as_deref());
    let mut tallies: BTreeMap<(String, usize), Pair> = BTreeMap::new();
    let pairs = programs.iter().flat_map(|program| mpis.iter().map(move |mpi| (program, mpi)));
    for (program, mpi) in pairs.filter(|(program, mpi)| program.runs_under(mpi)) {
        let is_asked = |setting: &Setting| arguments.setting.as_ref().is_none_or(|part| setting.title.contains(part));
        let settings = SETTINGS.iter().enumerate();
        for (number, setting) in settings.filter(|(_, setting)| setting.ranks >= program.ranks && is_asked(setting)) {
            for _ in 0..arguments.runs {
                let judged = |twin| {
                    let judged = diagnosis::diagnose(program, mpi, setting, twin);
                    let kind = if twin { "twin" } else { "planted" };
                    let verdict = if judged.is_right { "right" } else { "WRONG" };
                    let (name, of, title, status) = (&program.name, mpi.name, setting.title, judged.status);
                    eprintln!("{verdict} {name} {kind}, {of}, {title} (status {status}): {}", judged.first);
                    judged.is_right
                };
                let pair = tallies.entry((program.name.clone(), number)).or_default();
                pair.planted.add(judged(false));
                pair.twin.add(judged(true));
            }
        }
    }
    let text = table(&tallies);
    println!("{text}");
    if arguments.write {
        let part = format!("Made by `cargo lab diagnosis --write`: {}\n\n{text}", explained(mpis));
        held_out::replace_part(HEADING, &part)?;
    }
    let all = sum(tallies.values());
    match (all.planted, all.twin) {
        (Tally { runs: 0, .. }, _) => Err("no program ran".into()),
        (planted, twin) if 100 * (planted.right + twin.right) < 95 * (planted.runs + twin.runs) => {
            Err("fewer than 95 of 100 runs were judged right".into())
        }
        _ => Ok(()),
    }
}

fn sum<'a>(pairs: impl Iterator<Item = &'a Pair>) -> Pair {
    let mut sum = Pair::default();
    for pair in pairs {
        sum.planted.merge(pair.planted);
        sum.twin.merge(pair.twin);
    }
    sum
}

/// A row for each program, with its correctly judged runs in each setting.
fn table(tallies: &BTreeMap<(String, usize), Pair>) -> String {
    let mut text = String::from("| planted in |");
    for setting in &SETTINGS {
        let _ = write!(text, " {} | twin |", setting.title);
    }
    text += "\n|---|";
    text += &"---|".repeat(2 * SETTINGS.len());
    text += "\n";
    let names: Vec<&String> = tallies.keys().map(|(name, _)| name).collect();
    let row = |title: &str, of: &dyn Fn(usize) -> Pair| {
        let mut row = format!("| {title} |");
        for number in 0..SETTINGS.len() {
            let Pair { planted, twin } = of(number);
            let _ = write!(row, " {} of {} | {} of {} |", planted.right, planted.runs, twin.right, twin.runs);
        }
        row + "\n"
    };
    let mut last = None;
    for name in names {
        if last.replace(name) != Some(name) {
            text += &row(name, &|number| tallies.get(&(name.clone(), number)).copied().unwrap_or_default());
        }
    }
    text + &row("all", &|number| sum(tallies.iter().filter(|((_, one), _)| *one == number).map(|(_, pair)| pair)))
}

fn explained(mpis: &[Mpi]) -> String {
    let names = mpis.iter().map(|mpi| mpi.name).collect::<Vec<_>>().join(" and ");
    format!(
        "programs that each plant one cause (examples/programs/diagnosis), recorded under {names} on two cores.\n\
         A run counts as right if the first finding about the program has the planted kind, ranks and line; a twin, the same program\n\
         without the cause, if nothing about the program is found. Findings about the machine are left aside: eight ranks that compute\n\
         share two cores, and overhear says that first. There the planted cause may stay unnamed, since the scheduler explains as much\n\
         lateness; but no other may be named."
    )
}
