//! `overhear top --feed HOST`, which another node's `top` starts here: prints new data of the host's ranks every
//! second, as long as someone reads it.

use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;
use std::thread::sleep;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::{BETWEEN, SECOND, look_or_wait};
use model::error::{Error, OK};
use model::watch::Watch;
use tables::terminal;

/// First line of the feed.
#[derive(Serialize, Deserialize)]
pub struct Greeting {
    /// Version of the printing process.
    pub overhear: String,
}

impl Greeting {
    pub fn ours() -> Greeting {
        Greeting { overhear: env!("CARGO_PKG_VERSION").into() }
    }
}

/// Prints until the reader has gone. Returns the exit status.
pub fn run(folder: &Path, host: &str) -> Result<u8, Error> {
    let failed = |source| Error::Write { path: "stdout".into(), source };
    let mut out = BufWriter::new(terminal::stdout().map_err(failed)?);
    let mut watch = Watch::of_host(folder, host);
    let mut say = |line: serde_json::Result<String>| {
        let line = line.map_err(std::io::Error::from)?;
        writeln!(out, "{line}").and_then(|()| out.flush())
    };
    let mut said = say(serde_json::to_string(&Greeting::ours()));
    // A second look gives even the first line rates.
    look_or_wait(&mut watch)?;
    let mut due = Instant::now() + BETWEEN;
    loop {
        match said {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(OK),
            Err(source) => return Err(failed(source)),
        }
        sleep(due.saturating_duration_since(Instant::now()));
        due = Instant::now() + SECOND;
        look_or_wait(&mut watch)?;
        said = say(serde_json::to_string(&watch.news()));
    }
}
