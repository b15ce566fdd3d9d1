//! `overhear top --feed HOST`: what another node's `top` starts here. Prints a line a second of what is new of the host's ranks, for as
//! long as it is read.

use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;
use std::thread::sleep;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::{BETWEEN, SECOND, look_or_wait};
use model::error::{Error, OK};
use model::watch::Watch;
use tables::terminal;

/// The first line.
#[derive(Serialize, Deserialize)]
pub struct Greeting {
    /// The version of who prints.
    pub overhear: String,
}

impl Greeting {
    /// Ours.
    pub fn ours() -> Greeting {
        Greeting { overhear: env!("CARGO_PKG_VERSION").into() }
    }
}

/// Prints until nobody reads. Returns the exit status.
pub fn run(folder: &Path, host: &str) -> Result<u8, Error> {
    let failed = |source| Error::Write { path: "stdout".into(), source };
    let mut out = BufWriter::new(terminal::stdout().map_err(failed)?);
    let mut watch = Watch::of_host(folder, host);
    let mut say = |line: serde_json::Result<String>| {
        let line = line.map_err(std::io::Error::from)?;
        writeln!(out, "{line}").and_then(|()| out.flush())
    };
    let mut said = say(serde_json::to_string(&Greeting::ours()));
    // The first line has rates, too.
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
