//! Calls `overhear hang` on correct programs, from their start to after their end, and counts false alarms.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::{Duration, Instant};

use examples::build;
use examples::mpi::{self, Mpi};
use examples::program::Program;
use examples::run::Case;
use examples::running::{Running, says_it_hangs, verdict};
use examples::verdicts;

/// Programs that run longer are left alone.
const LIMIT: Duration = Duration::from_secs(60);

/// Phase of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum When {
    /// Some rank had not initialized MPI yet.
    Start,
    /// All ranks had initialized MPI.
    Between,
    /// The launcher had ended.
    End,
}

/// Looks by their results.
#[derive(Clone, Copy, Default)]
struct Seen {
    looks: u64,
    unknown: u64,
    alarms: u64,
}

impl Seen {
    fn add(&mut self, other: Seen) {
        self.looks += other.looks;
        self.unknown += other.unknown;
        self.alarms += other.alarms;
    }
}

/// Takes `count` looks under these libraries, separated by commas, or under all, at programs whose names contain
/// `name`, in rounds. Fails at any false alarm.
pub fn run(count: u64, libraries: Option<&str>, name: Option<&str>) -> Result<(), String> {
    mpi::install_all()?;
    build::overhear()?;
    let mpis = Mpi::all_of(libraries);
    let wanted = |program: &str| name.is_none_or(|name| program.contains(name));
    let names = Program::names();
    let programs: Vec<Program> = names.iter().filter(|name| wanted(name)).map(|name| Program::read(name)).collect();
    let small: Vec<_> =
        verdicts::all().into_iter().filter(|small| small.hangs == Some(false) && wanted(&small.name)).collect();
    let mut cases: Vec<(&Mpi, String, Case<'_>)> = Vec::new();
    for mpi in &mpis {
        let fit = programs.iter().filter(|program| program.runs_under(mpi));
        cases.extend(fit.map(|program| (mpi, program.name.clone(), Case::of(program, mpi))));
        cases.extend(small.iter().map(|small| (mpi, small.name.clone(), verdicts::case(small, mpi))));
    }
    // Even a few looks are spread over all libraries.
    cases.sort_by(|one, other| one.1.cmp(&other.1));
    let mut seen: BTreeMap<(&str, &str), Seen> = BTreeMap::new();
    let mut by_time: BTreeMap<When, Seen> = BTreeMap::new();
    let mut alarms = Vec::new();
    let mut looks = 0;
    while looks < count {
        let before = looks;
        for (mpi, program, case) in &cases {
            let taken = look_from_start_to_end(&format!("looks-{program}"), case, count - looks);
            for (when, said) in &taken {
                let one =
                    Seen { looks: 1, unknown: u64::from(said.is_unknown), alarms: u64::from(said.alarm.is_some()) };
                seen.entry((mpi.name, program)).or_default().add(one);
                by_time.entry(*when).or_default().add(one);
            }
            looks += taken.len() as u64;
            let said = taken.into_iter().filter_map(|(when, said)| Some((when, said.alarm?)));
            alarms.extend(said.map(|(when, said)| format!("{} {program} ({when:?}): {said}", mpi.name)));
        }
        if looks == before {
            return Err("no program ran long enough to be looked at".into());
        }
        eprintln!("{looks} looks so far, {} false alarms", alarms.len());
    }
    println!("library  program                                     looks  cannot tell  false alarms");
    for ((library, program), Seen { looks, unknown, alarms }) in &seen {
        println!("{library:7}  {program:42}  {looks:5}  {unknown:11}  {alarms:12}");
    }
    for (when, Seen { looks, unknown, alarms }) in &by_time {
        let when = match when {
            When::Start => "while a rank had not initialized MPI",
            When::Between => "between",
            When::End => "when the launcher had ended",
        };
        println!("{when}: {looks} looks, {unknown} cannot tell, {alarms} false alarms");
    }
    println!("{looks} looks, {} false alarms", alarms.len());
    if alarms.is_empty() { Ok(()) } else { Err(format!("false alarms:\n{}", alarms.join("\n"))) }
}

/// Result of one look.
struct Said {
    is_unknown: bool,
    alarm: Option<String>,
}

/// Looks at a program at most `most` times: from when a rank has begun its file until the launcher has ended.
fn look_from_start_to_end(name: &str, case: &Case<'_>, most: u64) -> Vec<(When, Said)> {
    let mut running = Running::begin(name, case);
    let (began, mut taken) = (Instant::now(), Vec::new());
    while (taken.len() as u64) < most && began.elapsed() < LIMIT {
        let when = match (running.is_over(), running.has_begun(case.ranks)) {
            (true, _) => When::End,
            (false, true) => When::Between,
            (false, false) => When::Start,
        };
        if let Some(answer) = running.look() {
            let alarm = says_it_hangs(&answer).then(|| format!("{:#}", answer.json));
            taken.push((when, Said { is_unknown: verdict(&answer) == "unknown", alarm }));
        } else {
            sleep(Duration::from_millis(5));
        }
        if when == When::End {
            break;
        }
    }
    taken
}
