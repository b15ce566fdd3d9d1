//! Engines as servers of Spark Connect, with workers of their own.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A server that is killed when it is dropped.
pub struct Engine {
    pub url: String,
    server: Child,
}

impl Engine {
    /// The engine of the Python that `cargo xtask engine` names.
    pub fn started() -> Engine {
        let python = |name| std::env::var_os(name).map(PathBuf::from);
        match (python("TEST_SAIL_PYTHON"), python("TEST_SPARK_PYTHON")) {
            (Some(python), _) => sail(&python),
            (None, Some(python)) => spark(&python),
            (None, None) => panic!("cargo xtask engine --sail and --spark name the Python that has the engine"),
        }
    }
}

fn sail(python: &Path) -> Engine {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/on_engine/sail_server.py");
    let mut command = Command::new(python);
    command.arg(script).env("SAIL_MODE", "local-cluster").env("RUST_LOG", "error");
    let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut port = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut port).unwrap();
    let port: u16 = port.trim().parse().unwrap_or_else(|_| panic!("Sail did not start: {port}"));
    Engine { url: format!("sc://127.0.0.1:{port}"), server }
}

/// Two workers of a core and a GiB each. A shuffle has 200 parts by default, which takes minutes for rows that fit one.
const SPARK: [&str; 9] = [
    "--master",
    "local-cluster[2,1,1024]",
    "--conf",
    "spark.sql.shuffle.partitions=4",
    "--conf",
    "spark.ui.enabled=false",
    "--class",
    "org.apache.spark.sql.connect.service.SparkConnectServer",
    "spark-internal",
];
const PATIENCE: Duration = Duration::from_secs(180);

fn spark(python: &Path) -> Engine {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).unwrap().port();
    let submit = python.with_file_name("spark-submit");
    let mut command = Command::new(&submit);
    command.arg("--conf").arg(format!("spark.connect.grpc.binding.port={free}")).args(SPARK);
    // Spark leaves a folder of its own where it runs.
    let place = env!("CARGO_TARGET_TMPDIR");
    let said = Path::new(place).join("spark.log");
    let log = File::create(&said).unwrap();
    command.env("PYSPARK_PYTHON", python).current_dir(place);
    let server = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
    let server = server.unwrap_or_else(|error| panic!("{}: {error}", submit.display()));
    let mut engine = Engine { url: format!("sc://127.0.0.1:{free}"), server };
    let began = Instant::now();
    while TcpStream::connect(("127.0.0.1", free)).is_err() {
        let has_ended = engine.server.try_wait().unwrap().is_some();
        assert!(!has_ended && began.elapsed() < PATIENCE, "Spark does not answer: {}", said.display());
        thread::sleep(Duration::from_millis(200));
    }
    engine
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
