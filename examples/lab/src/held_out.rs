//! Compares first findings about the held-out programs with their truth, and promised savings with those of the cures.

use std::fmt::Write;
use std::path::PathBuf;
use std::{fs, panic};

use examples::held_out::{HeldOut, HeldOutRun, HeldOutSet};
use examples::machine::workspace;
use examples::mpi::Mpi;
use examples::processor_time::ProcessorTime;

/// Heading of a set's part of docs/diagnosis.md.
pub fn heading(set: HeldOutSet) -> &'static str {
    match set {
        HeldOutSet::HeldOut => "## Programs that no rule grew up with",
        HeldOutSet::Unseen => "## Programs of a second author",
        HeldOutSet::Third => "## Programs of a third author",
        HeldOutSet::Fourth => "## Programs of a fourth author",
    }
}

/// The runs that are judged.
pub enum Runs {
    /// As many new ones, of which the calmest counts.
    New(usize),
    /// Recordings in a folder, which are judged again.
    Kept(PathBuf),
}

/// A recorded run, and the cores that other processes used meanwhile, if that is known.
struct Measured {
    run: HeldOutRun,
    others: Option<f64>,
}

#[derive(Default)]
struct Counts {
    runs: u32,
    causes: u32,
    places: u32,
    ranks: u32,
    full: u32,
    /// Pairs of which both printed their loop's seconds, and the cure saved a twentieth or more.
    saved: u32,
    promised: u32,
    /// Twins with a finding about the program, and with the planted one.
    twins_told: u32,
    twins_accused: u32,
    /// Twins of which the truth says that nothing is left to mention, and those with a finding.
    clean_twins: u32,
    clean_twins_told: u32,
}

/// Judges each program's runs with the cause and cured; of several, the run during which others used the machine least. Returns the
/// part of docs/diagnosis.md.
pub fn run(set: HeldOutSet, mpis: &[Mpi], runs: &Runs, name: Option<&str>) -> Result<String, String> {
    let mut counts = Counts::default();
    let mut text = explained(set, mpis, runs);
    text.push_str(
        "| program | MPI | truth | first finding | cause, place, rank | promised | saved | cured: first finding | others' cores |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for program in &set.programs(name) {
        for mpi in mpis.iter().filter(|mpi| program.program.runs_under(mpi)) {
            let row = row(program, mpi, runs, &mut counts)
                .unwrap_or_else(|reason| format!("| {} | {} | {reason} |\n", program.program.name, mpi.name));
            eprint!("{row}");
            text += &row;
        }
    }
    if counts.runs == 0 {
        return Err("no program ran".into());
    }
    let _ = write!(text, "\n{}", summary(&counts));
    Ok(text)
}

fn row(program: &HeldOut, mpi: &Mpi, runs: &Runs, counts: &mut Counts) -> Result<String, String> {
    let (sick, cured) = (measured(program, mpi, false, runs)?, measured(program, mpi, true, runs)?);
    let first = sick.run.first_of_program();
    let agreement = program.agreement_of(first);
    counts.runs += 1;
    counts.causes += u32::from(agreement.cause);
    counts.places += u32::from(agreement.place);
    counts.ranks += u32::from(agreement.ranks);
    counts.full += u32::from(agreement.is_full());
    let saved = sick.run.loop_s.zip(cured.run.loop_s).map(|(sick, cured)| (sick - cured, sick));
    let promised = first.and_then(|first| first["saves_s"].as_f64().or_else(|| first["at_most_s"].as_f64()));
    if let Some((saved, loop_s)) = saved
        && saved >= loop_s / 20.0
    {
        counts.saved += 1;
        counts.promised += u32::from(promised.is_some_and(|promised| (promised - saved).abs() <= saved / 4.0));
    }
    let twins = cured.run.first_of_program();
    counts.twins_told += u32::from(twins.is_some());
    counts.twins_accused += u32::from(twins.is_some_and(|twins| program.agreement(twins).cause));
    if program.is_clean_cured {
        counts.clean_twins += 1;
        counts.clean_twins_told += u32::from(twins.is_some());
    }
    let yes = |is: bool| if is { "yes" } else { "no" };
    let agreed = [agreement.cause, agreement.place, agreement.ranks].map(yes).join(", ");
    let seconds = |seconds: Option<f64>| seconds.map_or("-".into(), |seconds| format!("{seconds:.2} s"));
    let cores = |cores: Option<f64>| cores.map_or("-".into(), |cores| format!("{cores:.1}"));
    let saved = saved.map_or("-".into(), |(saved, loop_s)| format!("{saved:.2} of {loop_s:.2} s"));
    Ok(format!(
        "| {} | {} | {} | {} | {agreed} | {} | {saved} | {} | {}, {} |\n",
        program.program.name,
        mpi.name,
        program.causes(),
        named(&sick.run),
        seconds(promised),
        named(&cured.run),
        cores(sick.others),
        cores(cured.others),
    ))
}

/// Kind and headline of the first finding, with those about other processes in front of it by their kinds.
fn named(run: &HeldOutRun) -> String {
    let text = |finding: &serde_json::Value, key: &str| finding[key].as_str().unwrap_or_default().replace('|', "/");
    let first = run.first_of_program();
    let before = run.findings.iter().take_while(|finding| first.is_none_or(|first| !std::ptr::eq(*finding, first)));
    let before: Vec<String> = before.map(|finding| format!("({})", text(finding, "kind"))).collect();
    let first =
        first.map_or("nothing".into(), |first| format!("**{}** {}", text(first, "kind"), text(first, "headline")));
    [before, vec![first]].concat().join(" ")
}

fn measured(program: &HeldOut, mpi: &Mpi, cured: bool, runs: &Runs) -> Result<Measured, String> {
    match runs {
        Runs::New(runs) => calmest(program, mpi, cured, *runs),
        Runs::Kept(folder) => {
            let run = program.kept(mpi, cured, folder);
            let run = run.ok_or_else(|| format!("no run in {}", folder.display()))?;
            Ok(Measured { run, others: None })
        }
    }
}

/// The run during which other processes used the fewest cores. Fails if the program's result was never correct.
fn calmest(program: &HeldOut, mpi: &Mpi, cured: bool, runs: usize) -> Result<Measured, String> {
    let mut calmest: Option<Measured> = None;
    let mut last = String::new();
    for _ in 0..runs.max(1) {
        let before = ProcessorTime::now();
        // A run of more than two minutes is ended by a panic: two ranks that poll on one core can take that long.
        let Ok(run) = panic::catch_unwind(|| program.recorded(mpi, cured)) else { continue };
        let others = before.used_by_others();
        if run.loop_s.is_none() {
            last = run.output;
            continue;
        }
        if calmest.as_ref().is_none_or(|calmest| Some(others) < calmest.others) {
            calmest = Some(Measured { run, others: Some(others) });
        }
    }
    calmest.ok_or_else(|| format!("no run is correct: {}", last.replace('\n', " ")))
}

fn explained(set: HeldOutSet, mpis: &[Mpi], runs: &Runs) -> String {
    let names = mpis.iter().map(|mpi| mpi.name).collect::<Vec<_>>().join(" and ");
    let calmest = match runs {
        Runs::New(runs) if *runs > 1 => format!(", the calmest of {runs} runs each"),
        Runs::New(_) | Runs::Kept(_) => String::new(),
    };
    format!(
        "Made by `cargo lab diagnosis --set {} --write`: programs from textbooks, papers and reports (examples/programs/{}), whose causes, \
         ranks and lines their author stated in truth.tsv before reading a rule, recorded under {names}{calmest}.\n\
         The first finding is the first apart from those about other processes of the machine, which stand in brackets before it. It agrees in cause if \
         its kind, or its words, state the truth's; in place if it names one of the truth's calls; in rank if it names the truth's ranks, where the \
         truth has some. `promised` is what the finding says that its cure saves, or else what it costs at most, `saved` the loop's time with the cause less that without, `others' cores` what other \
         processes used meanwhile, with the cause and cured.\n\n",
        set.name().replace('_', "-"),
        set.name(),
    )
}

fn summary(counts: &Counts) -> String {
    let Counts { runs, causes, places, ranks, full, saved, promised, twins_told, twins_accused, .. } = counts;
    let clean = match (counts.clean_twins, counts.clean_twins_told) {
        (0, _) => String::new(),
        (clean, told) => {
            format!(" Of the {clean} of which the truth says that nothing is left to mention, {told} have one.")
        }
    };
    format!(
        "Of {runs} runs, the first finding states cause, place and ranks in {full}; the cause in {causes}, the place in {places}, the ranks in \
         {ranks}. Of {saved} cures that saved a twentieth of the loop or more, the promise is within a quarter of the saving in {promised}. \
         Of {runs} cured twins, {twins_told} have a finding about the program, {twins_accused} that of the planted cause.{clean}\n"
    )
}

/// Replaces the part of docs/diagnosis.md that begins with this heading, or appends it.
pub fn replace_part(heading: &str, part: &str) -> Result<(), String> {
    let path = workspace().join("docs/diagnosis.md");
    let page = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (before, after) = match page.find(heading) {
        Some(at) => {
            let end = page[at + heading.len()..].find("\n#").map_or(page.len(), |end| at + heading.len() + end + 1);
            (&page[..at], &page[end..])
        }
        None => (&page[..], ""),
    };
    let gap = if after.is_empty() { "" } else { "\n" };
    let page = format!("{}\n\n{heading}\n\n{}\n{gap}{after}", before.trim_end(), part.trim_end());
    fs::write(&path, page.trim_start()).map_err(|error| format!("{}: {error}", path.display()))
}
