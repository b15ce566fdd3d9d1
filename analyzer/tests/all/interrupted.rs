//! A command that computes for long says so on a terminal; Ctrl-C leaves nothing of it behind.

use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use synthetic::{Shape, Topology};

use crate::common::terminal::InTerminal;
use crate::common::{Folder, two_ranks};

const CTRL_C: &[u8] = b"\x03";

/// Starts an analysis that has to wait until someone reads its output, from a shell that says its exit status.
fn waiting(run: &Path, pipe: &Path) -> InTerminal {
    mknodat(CWD, pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", r#"trap : INT; "$0" waits "$1" -o "$2"; echo "status $?"; read line"#]);
    command.arg(env!("CARGO_BIN_EXE_overhear")).arg(run).arg(pipe);
    let mut said = InTerminal::begin(&mut command, 80);
    said.shows("analyzing, ");
    said
}

#[test]
fn a_command_that_takes_more_than_a_second_says_that_it_computes_until_it_has_ended() {
    let (run, out) = (two_ranks(), Folder::new());
    let pipe = out.0.join("waits.txt");
    let mut said = waiting(&run.0, &pipe);
    assert!(fs::read_to_string(&pipe).unwrap().contains("wait"));
    said.shows("status 0");
    assert_eq!(said.screen(), "status 0\n");
    said.keyboard.write_all(b"\n").unwrap();
    said.ended();
}

#[test]
fn ctrl_c_wipes_the_sign_of_computing() {
    let (run, out) = (two_ranks(), Folder::new());
    let mut said = waiting(&run.0, &out.0.join("waits.txt"));
    said.keyboard.write_all(CTRL_C).unwrap();
    said.shows("status 130");
    assert!(!said.screen().contains("analyzing"), "{}", said.screen());
    said.keyboard.write_all(b"\n").unwrap();
    said.ended();
}

#[test]
fn ctrl_c_leaves_nothing_of_an_export_behind() {
    let (run, out) = (Folder::new(), Folder::new());
    synthetic::run(&run.0, &Shape { ranks: 4, calls: 50_000, topology: Topology::Ring, seed: 1 }).unwrap();
    let mut ran = 0;
    for (format, name) in [("csv", "tables"), ("perfetto", "trace.pftrace")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
        let words = ["export", "--no-cache", "--to", format];
        let mut said = InTerminal::begin(command.args(words).arg(&run.0).arg(out.0.join(name)), 80);
        // It has begun to write.
        while fs::read_dir(&out.0).unwrap().count() == 0 {
            std::thread::yield_now();
        }
        said.keyboard.write_all(CTRL_C).unwrap();
        assert_eq!(said.ended().signal(), Some(libc::SIGINT), "{format}: {}", said.seen);
        let left: Vec<_> = fs::read_dir(&out.0).unwrap().flatten().map(|entry| entry.path()).collect();
        assert!(left.is_empty(), "{format}: {left:?}");
        ran += 1;
    }
    assert_eq!(ran, 2);
}
