//! Sail as a server of Spark Connect, with workers of its own.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A server that is killed when it is dropped.
pub struct Sail {
    pub url: String,
    server: Child,
}

impl Sail {
    pub fn started() -> Sail {
        let python =
            std::env::var("TEST_ENGINE_PYTHON").expect("cargo xtask engine --sail names the Python that has Sail");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/on_engine/sail_server.py");
        let mut command = Command::new(python);
        command.arg(script).env("SAIL_MODE", "local-cluster").env("RUST_LOG", "error");
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut port).unwrap();
        let port: u16 = port.trim().parse().unwrap_or_else(|_| panic!("Sail did not start: {port}"));
        Sail { url: format!("sc://127.0.0.1:{port}"), server }
    }
}

impl Drop for Sail {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
