//! Runs loops of published benchmarks under several libraries, counts the printed figures that their traces confirm, and names the one
//! that is off most.

use std::collections::BTreeMap;
use std::fmt;

use examples::build;
use examples::loops::{Comparison, LOOPS, LoopSizes, compare};
use examples::mpi::{self, Mpi};

/// Runs without the recorder, to tell repeatable figures.
const PLAIN_RUNS: usize = 3;
const SIZES: LoopSizes = LoopSizes { least: 8, most: 1 << 19, effort: 1.0 };
/// One library of each family; `--all` adds a second one.
const LIBRARIES: &str = "ompi4,mpich4";
const ALL_LIBRARIES: &str = "ompi4,mpich4,ompi5,mpich5";

#[derive(clap::Args)]
pub struct AgreementArgs {
    /// Only under these MPIs, as ompi4,mpich5
    #[arg(long)]
    mpi: Option<String>,
    /// Under ompi5 and mpich5, too
    #[arg(long)]
    all: bool,
    /// How often each loop is recorded
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// Print each figure that is not within the goal, and whether it is repeatable
    #[arg(long)]
    rows: bool,
    /// Only programs whose names contain this, as osu
    name: Option<String>,
}

/// Counts over a group of figures.
#[derive(Default)]
struct Tally {
    all: u64,
    within: u64,
    repeatable: u64,
    repeatable_within: u64,
    /// Figures that the trace does not tell.
    untold: u64,
    /// The repeatable figure that is off most, with its distance as a multiple of the goal.
    off_most: Option<(f64, String)>,
}

impl Tally {
    fn add(&mut self, comparison: &Comparison) {
        self.all += 1;
        self.within += u64::from(comparison.is_within());
        self.repeatable += u64::from(comparison.is_repeatable());
        self.repeatable_within += u64::from(comparison.is_repeatable() && comparison.is_within());
        self.untold += u64::from(comparison.said.is_none());
        let Comparison { of, bytes, printed, goal, .. } = comparison;
        let Some(said) = comparison.said.filter(|_| comparison.is_repeatable() && !comparison.is_within()) else {
            return;
        };
        let distance = (said - printed).abs() / goal.allowed(*printed);
        if self.off_most.as_ref().is_none_or(|(most, _)| distance > *most) {
            self.off_most = Some((distance, format!("{of} {bytes}: {printed:.3} printed, {said:.3} told")));
        }
    }
}

pub fn run(arguments: &AgreementArgs) -> Result<(), String> {
    mpi::install_all()?;
    build::overhear()?;
    let names = arguments.mpi.as_deref().unwrap_or(if arguments.all { ALL_LIBRARIES } else { LIBRARIES });
    let mut tallies: BTreeMap<(&str, String, String), Tally> = BTreeMap::new();
    let mut all = Tally::default();
    for mpi in Mpi::all_of(Some(names)) {
        let is_wanted = |name: &str| arguments.name.as_ref().is_none_or(|wanted| name.contains(wanted));
        for of in LOOPS.iter().filter(|of| is_wanted(of.program)) {
            for _ in 0..arguments.runs {
                for comparison in compare(of, &mpi, &[], &SIZES, PLAIN_RUNS) {
                    let key = (mpi.name, comparison.of.clone(), comparison.figure.clone());
                    tallies.entry(key).or_default().add(&comparison);
                    all.add(&comparison);
                    if arguments.rows && !comparison.is_within() {
                        print(&mpi, &comparison);
                    }
                }
            }
        }
    }
    if all.all == 0 {
        return Err("no loop ran: no such library or program is here".into());
    }
    println!(
        "library  loop             figure              figures  within the goal  repeatable  within the goal  untold  off most"
    );
    for ((library, of, figure), tally) in &tallies {
        println!("{library:7}  {of:15}  {figure:18}  {tally}");
    }
    println!("all                                          {all}");
    Ok(())
}

impl fmt::Display for Tally {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |part: u64, of: u64| 100.0 * part as f64 / of.max(1) as f64;
        let Tally { all, within, repeatable, repeatable_within: both, .. } = self;
        let (of_all, of_repeatable) = (percent(*within, *all), percent(*both, *repeatable));
        write!(
            to,
            "{all:7}  {within:6}  {of_all:5.1} %  {repeatable:10}  {both:6}  {of_repeatable:5.1} %  {:6}",
            self.untold
        )?;
        let off_most = self.off_most.as_ref();
        off_most.map_or(Ok(()), |(distance, figure)| write!(to, "  {figure}, {distance:.1} times the goal"))
    }
}

fn print(mpi: &Mpi, comparison: &Comparison) {
    let Comparison { of, bytes, figure, printed, said, .. } = comparison;
    let said = said.map_or("nothing".into(), |said| format!("{said:.3}"));
    let is_repeatable = if comparison.is_repeatable() { "repeatable" } else { "not repeatable" };
    println!("{}: {of} {bytes} {figure}: printed {printed:.3}, the trace says {said}; {is_repeatable}", mpi.name);
}
