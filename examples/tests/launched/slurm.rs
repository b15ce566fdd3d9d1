//! A real Slurm of two nodes on this machine: every way to record a step, and how runs end that it cancels.
//!
//! The gate tries some ways where Slurm is installed; `cargo xtask slurm` installs it and tries all.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::{calls, case};
use examples::command::{spawn, write_executable};
use examples::mpi::Mpi;
use examples::run::{Run, finish, fresh_folder, library, overhear};
use examples::running::says_it_hangs;
use examples::slurm::{Cluster, missing};
use examples::{rota, workspace};
use traces::file::INITIALIZED;
use traces::read::RankFile;

/// If set, all ways are tried, and it fails where Slurm is missing.
const ALL_WAYS: &str = "TEST_SLURM";

fn takes_all() -> bool {
    std::env::var_os(ALL_WAYS).is_some() || rota::is_all()
}

/// Shell commands by which two ranks are recorded on two nodes. Words in braces stand for what a test has.
const IN_THE_GATE: [&str; 3] = [
    "overhear record --dir {run} srun -N2 -n2 {program}",
    "srun -N2 -n2 overhear record --dir {run} -- {program}",
    "overhear record --dir {run} srun -N2 -n2 --export=NONE {program}",
];
const OTHERS: [&str; 9] = [
    "sbatch --wait -N2 -n2 --output=/dev/null --wrap 'overhear record --dir {run} srun {program}'",
    "sbatch --wait -N2 -n2 --output=/dev/null --wrap 'srun overhear record --dir {run} -- {program}'",
    "FOO=1 overhear record --dir {run} srun -N2 -n2 --export=FOO,PATH {program}",
    "overhear record --dir {run} srun -N2 -n2 --export=ALL,LD_PRELOAD=libm.so.6 {program}",
    "overhear record --dir {run} srun -N2 -n2 --multi-prog {several}",
    "overhear record --dir {run} srun -n1 {program} : -n1 {twin}",
    "overhear record --files node --dir {run} srun -N2 -n2 {program}",
    "srun -N2 -n2 $(overhear env --launcher slurm --dir {run}) {program}",
    "OVERHEAR=1 OVERHEAR_LIBRARY={library} OVERHEAR_DIR={run} srun -N2 -n2 --task-prolog={prolog} {program}",
];

/// A cluster, and what stands for the words in braces.
struct Place {
    cluster: Cluster,
    folder: PathBuf,
    words: BTreeMap<&'static str, String>,
    /// Commands that were begun.
    begun: usize,
}

impl Place {
    fn new() -> Place {
        let folder = fresh_folder("slurm");
        let mpi = Mpi::named("mpich4").expect("mpich4 is not here: cargo xtask slurm brings it");
        let case_of = |name: &str| case(name, &mpi, 2, &[]).path;
        let (program, ends) = (case_of("quick"), case_of("ends"));
        let cluster = Cluster::start(&folder.join("cluster"));
        let (twin, several) = (folder.join("twin"), folder.join("several"));
        write_executable(&twin, &fs::read(&program).unwrap()).unwrap();
        fs::write(&several, format!("0 {}\n1 {}\n", program.display(), twin.display())).unwrap();
        let prolog = workspace().join("packaging/slurm/task-prolog.sh");
        let words = [
            ("{program}", program),
            ("{ends}", ends),
            ("{twin}", twin),
            ("{several}", several),
            ("{library}", library()),
            ("{prolog}", prolog),
            ("{ready}", folder.join("ready")),
        ];
        let words = words.map(|(word, path)| (word, path.display().to_string())).into();
        Place { cluster, folder, words, begun: 0 }
    }

    /// The command for a shell, and the folder of its run.
    fn command(&mut self, words: &str) -> (Command, Run) {
        let run = self.folder.join(format!("run-{}", self.begun));
        self.begun += 1;
        let mut text = words.replace("{run}", &run.display().to_string());
        for (word, means) in &self.words {
            text = text.replace(word, means);
        }
        let mut shell = Command::new("sh");
        let path = format!("{}:{}", overhear().parent().unwrap().display(), std::env::var("PATH").unwrap());
        shell.args(["-c", &text]).current_dir(&self.folder).env("PATH", path);
        self.cluster.set_environment(&mut shell);
        (shell, Run { folder: run })
    }

    fn is_recorded(&mut self, way: &str) {
        let (mut command, run) = self.command(way);
        let output = finish(&mut command);
        assert!(output.status == 0 && run.folder.exists(), "{way}: {output:#?}");
        run.wait_for_its_processes();
        assert_eq!([calls(&run, "MPI_Send"), calls(&run, "MPI_Recv")], [10, 10], "{way}: {}", output.stderr);
        assert_eq!(run.report("rank").json["run"]["ranks"], 2, "{way}");
    }

    /// Begins a run of two ranks that wait for each other, and returns once they do.
    fn waiting(&mut self, way: &str) -> (Child, Run) {
        let _ = fs::remove_file(&self.words["{ready}"]);
        let (mut command, run) = self.command(way);
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let child = spawn(quiet);
        let has_begun =
            |path: &PathBuf| RankFile::open(path).is_ok_and(|trace| trace.header().state & INITIALIZED != 0);
        let ready = PathBuf::from(&self.words["{ready}"]);
        let waits = || ready.exists() && run.files().len() == 2 && run.files().iter().all(has_begun);
        self.cluster.wait_for("rank that waits", waits);
        // Asked from outside the job. The file is made just before the ranks wait.
        self.cluster.wait_for("verdict that it hangs", || says_it_hangs(&run.ask("hang", &["--no-cache"])));
        (child, run)
    }

    /// Waits for the command and its jobs, and returns what the first screen says first.
    fn first_finding(&self, mut child: Child, run: &Run) -> String {
        self.cluster
            .wait_for("end of the run", || child.try_wait().unwrap().is_some() && self.cluster.jobs().is_empty());
        run.wait_for_its_processes();
        let screen = run.ask("diagnose", &["--no-cache"]);
        let first = screen.rows("findings").first().cloned().unwrap_or_default();
        assert_eq!(first["kind"], "ended", "{}: {first:#}", run.folder.display());
        first["headline"].as_str().unwrap().to_string()
    }

    fn steps(&self) -> Vec<String> {
        let steps = self.cluster.asked("squeue", &["--steps", "--noheader", "--format=%i"]);
        steps
            .lines()
            .map(String::from)
            .filter(|step| step.rsplit('.').next().is_some_and(|part| part.parse::<u32>().is_ok()))
            .collect()
    }
}

/// A cluster, if this machine can have one.
fn place() -> Option<Place> {
    match missing() {
        None => Some(Place::new()),
        Some(reason) if std::env::var_os(ALL_WAYS).is_some() => panic!("{reason}"),
        Some(reason) => {
            println!("left out: {reason}");
            None
        }
    }
}

#[test]
fn steps_of_a_real_slurm_are_recorded_and_cancelled_ones_say_so_first() {
    let Some(mut place) = place() else { return };
    for way in IN_THE_GATE {
        place.is_recorded(way);
    }
    let (child, run) = place.waiting("overhear record --dir {run} srun -N2 -n2 {ends} waits {ready}");
    for step in place.steps() {
        place.cluster.asked("scancel", &[&step]);
    }
    // srun gets no signal of its own.
    let killed = place.first_finding(child, &run);
    assert!(killed.starts_with("srun ended ") && killed.contains("(SIG"), "{killed}");
    if !takes_all() {
        return;
    }
    for way in OTHERS {
        place.is_recorded(way);
    }
    let job = "sbatch --wait -N2 -n2 {time} --output=/dev/null --wrap 'overhear record --dir {run} srun {ends} waits {ready}'";
    let (child, run) = place.waiting(&job.replace("{time}", ""));
    for job in place.cluster.jobs() {
        place.cluster.asked("scancel", &[&job]);
    }
    let cancelled = place.first_finding(child, &run);
    assert!(cancelled.starts_with("Signal 15 (SIGTERM) reached srun "), "{cancelled}");
    // Slurm's shortest limit is a minute.
    let (child, run) = place.waiting(&job.replace("{time}", "--time=1"));
    place.cluster.wait_up_to(Duration::from_secs(180), "end by the time limit", || place.cluster.jobs().is_empty());
    let limited = place.first_finding(child, &run);
    assert!(limited.starts_with("Signal 15 (SIGTERM) reached srun "), "{limited}");
}
