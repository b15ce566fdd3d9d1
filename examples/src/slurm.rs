//! A real Slurm of two nodes on one machine: a controller, two daemons and munge of its own, in a folder of its own. It ends
//! when it is dropped, and leaves nothing.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Debian's packages of it.
pub const PACKAGES: [&str; 2] = ["slurm-wlm", "munge"];
/// Programs that it takes.
const PROGRAMS: [&str; 6] = ["munged", "slurmctld", "slurmd", "srun", "sbatch", "scancel"];
const PATIENCE: Duration = Duration::from_secs(60);
/// A daemon ends by itself after so many seconds, should nobody end it.
const LONGEST: &str = "900";

/// Why no cluster can be started here; `None` if one can.
pub fn missing() -> Option<String> {
    // SAFETY: asks the system.
    if unsafe { libc::geteuid() } != 0 {
        return Some("slurmd starts tasks as root only".into());
    }
    let is_missing =
        |program: &&&str| !["/usr/sbin", "/usr/bin"].iter().any(|folder| Path::new(folder).join(program).exists());
    PROGRAMS.iter().find(is_missing).map(|program| format!("{program} is not installed: cargo xtask slurm installs it"))
}

pub struct Cluster {
    folder: PathBuf,
    /// The last one started ends first.
    daemons: Vec<Child>,
}

impl Cluster {
    /// Starts a cluster, and waits until both nodes are idle. Panics if they are not in a minute.
    pub fn start(folder: &Path) -> Cluster {
        fs::create_dir_all(folder.join("state")).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut cluster = Cluster { folder: folder.into(), daemons: Vec::new() };
        cluster.configure();
        cluster.start_munge();
        let conf = cluster.conf();
        cluster.daemon("slurmctld", &["-D", "-f", &conf]);
        for node in ["n1", "n2"] {
            cluster.daemon("slurmd", &["-D", "-f", &conf, "-N", node]);
        }
        let idle = || cluster.asked("sinfo", &["--noheader", "--Node", "--format=%T"]);
        cluster.wait_for("two idle nodes", || idle().lines().filter(|state| *state == "idle").count() == 2);
        cluster
    }

    fn conf(&self) -> String {
        self.path("slurm.conf").display().to_string()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn write(&self, name: &str, bytes: &[u8], mode: u32) {
        let path = self.path(name);
        let written =
            fs::write(&path, bytes).and_then(|()| fs::set_permissions(&path, fs::Permissions::from_mode(mode)));
        written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    fn configure(&self) {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").expect("the host has a name");
        let (host, folder) = (host.trim(), self.folder.display());
        let [controller, n1, n2] = free_ports();
        let text = format!(
            "ClusterName=tested\n\
             SlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={controller}\nSlurmUser=root\nSlurmdUser=root\n\
             AuthType=auth/munge\nCredType=cred/munge\nAuthInfo=socket={folder}/munge.socket\n\
             ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSwitchType=switch/none\nMpiDefault=pmi2\n\
             SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nSlurmdParameters=config_overrides\n\
             ReturnToService=2\nKillWait=3\nSlurmctldTimeout=30\nSlurmdTimeout=30\n\
             StateSaveLocation={folder}/state\nSlurmdSpoolDir={folder}/spool-%n\n\
             SlurmctldLogFile={folder}/slurmctld.log\nSlurmdLogFile={folder}/slurmd-%n.log\n\
             SlurmctldPidFile={folder}/slurmctld.pid\nSlurmdPidFile={folder}/slurmd-%n.pid\n\
             NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={n1} CPUs=4 RealMemory=1000\n\
             NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={n2} CPUs=4 RealMemory=1000\n\
             PartitionName=p Nodes=n1,n2 Default=YES State=UP\n"
        );
        self.write("slurm.conf", text.as_bytes(), 0o644);
    }

    fn start_munge(&mut self) {
        let mut key = [0; 128];
        let random = fs::File::open("/dev/urandom").and_then(|mut file| std::io::Read::read_exact(&mut file, &mut key));
        random.expect("the system has random numbers");
        self.write("munge.key", &key, 0o400);
        let option = |name: &str, file: &str| format!("--{name}={}", self.path(file).display());
        let options = [
            option("socket", "munge.socket"),
            option("key-file", "munge.key"),
            option("pid-file", "munge.pid"),
            option("log-file", "munge.log"),
            option("seed-file", "munge.seed"),
        ];
        let words: Vec<&str> =
            ["--foreground", "--force"].into_iter().chain(options.iter().map(String::as_str)).collect();
        self.daemon("munged", &words);
        let socket = self.path("munge.socket");
        self.wait_for("munge's socket", || socket.exists());
    }

    fn daemon(&mut self, program: &str, words: &[&str]) {
        let said =
            fs::File::create(self.path(&format!("{program}-{}.out", self.daemons.len()))).expect("the folder is there");
        let mut command = Command::new("timeout");
        command.args(["--kill-after=5", LONGEST, program]).args(words).stdin(Stdio::null()).stderr(said);
        let path = format!("{}:/usr/sbin:/usr/bin", std::env::var("PATH").unwrap_or_default());
        let child = command.stdout(Stdio::null()).env("PATH", path).env("SLURM_CONF", self.conf()).spawn();
        self.daemons.push(child.unwrap_or_else(|error| panic!("{command:?}: {error}")));
    }

    /// Panics with the daemons' logs if it does not come in a minute.
    pub fn wait_for(&self, what: &str, is_there: impl FnMut() -> bool) {
        self.wait_up_to(PATIENCE, what, is_there);
    }

    /// Panics with the daemons' logs if it does not come in this time.
    pub fn wait_up_to(&self, patience: Duration, what: &str, mut is_there: impl FnMut() -> bool) {
        let began = Instant::now();
        while !is_there() {
            assert!(began.elapsed() < patience, "no {what}: {}", self.logs());
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// The last lines of each log.
    fn logs(&self) -> String {
        let mut said = String::new();
        for file in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let path = file.path();
            if path.extension().is_some_and(|ending| ending == "log" || ending == "out") {
                let text = fs::read_to_string(&path).unwrap_or_default();
                let last: Vec<&str> = text.lines().rev().take(8).collect();
                said += &format!("\n{}:\n{}", path.display(), last.into_iter().rev().collect::<Vec<_>>().join("\n"));
            }
        }
        said
    }

    /// Has a command talk to this cluster.
    pub fn set_environment(&self, command: &mut Command) {
        command.env("SLURM_CONF", self.conf());
    }

    /// Output of one of Slurm's commands.
    pub fn asked(&self, program: &str, words: &[&str]) -> String {
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::null());
        self.set_environment(&mut command);
        command
            .output()
            .map_or_else(|error| error.to_string(), |output| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Numbers of jobs that are not over.
    pub fn jobs(&self) -> Vec<String> {
        self.asked("squeue", &["--noheader", "--format=%A"]).lines().map(String::from).collect()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let jobs = self.jobs();
        if !jobs.is_empty() {
            self.asked("scancel", &jobs.iter().map(String::as_str).collect::<Vec<_>>());
            let began = Instant::now();
            while !self.jobs().is_empty() && began.elapsed() < Duration::from_secs(10) {
                thread::sleep(Duration::from_millis(100));
            }
        }
        for mut daemon in self.daemons.drain(..).rev() {
            // SAFETY: ends a process that this started, and `timeout` its daemon.
            unsafe { libc::kill(daemon.id() as i32, libc::SIGTERM) };
            let _ = daemon.wait();
        }
        if !thread::panicking() {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Ports that nobody listens at.
fn free_ports() -> [u16; 3] {
    let sockets = [(); 3].map(|()| TcpListener::bind("127.0.0.1:0").expect("loopback has ports"));
    sockets.map(|socket| socket.local_addr().expect("it is bound").port())
}
