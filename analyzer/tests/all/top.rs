//! `overhear top`: one frame as a table and as OpenMetrics, and the screen in a pseudo-terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use traces::calls::Call;

use crate::common::{Folder, overhear, stdout};
use crate::hang::{Story, collective, inside, outside, receive, run, run_in};

/// Two of three ranks are in a barrier, and one receives from any source.
fn three() -> Folder {
    run(three_stories())
}

fn three_stories() -> Vec<Story> {
    let barrier = || collective(Call::Barrier);
    vec![inside(&[], barrier()), inside(&[], barrier()), inside(&[], receive(-1, 7))]
}

#[test]
fn a_frame_says_of_each_rank_in_which_call_it_is_and_with_whom() {
    let folder = three();
    let output = overhear("top", &folder.0, &["--once", "--no-cache", "--format", "json"]);
    let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let mut rows: Vec<[&str; 3]> = Vec::new();
    let mut frame = said["top"].as_array().unwrap().clone();
    frame.sort_by_key(|row| row["rank"].as_u64());
    for row in &frame {
        rows.push(["state", "function", "partner"].map(|key| row[key].as_str().unwrap()));
    }
    // Their processes are gone.
    assert_eq!(
        rows,
        [["dead", "MPI_Barrier", "2 of 3 came"], ["dead", "MPI_Barrier", "2 of 3 came"], ["dead", "MPI_Recv", "any"]]
    );
}

#[test]
fn metrics_are_open_metrics_with_a_line_for_each_rank() {
    let folder = three();
    let said = stdout(&overhear("top", &folder.0, &["--metrics"]));
    let of = |name: &str| said.lines().filter(|line| line.starts_with(name)).count();
    for name in [
        "since_seconds",
        "mpi_seconds_total",
        "sent_bytes_total",
        "empty_entries_total",
        "pending_requests",
        "data_age_seconds",
    ] {
        assert_eq!(of(&format!("overhear_{name}{{rank=")), 3, "{name}: {said}");
    }
    assert!(said.ends_with("# EOF\n"), "{said}");
    assert!(said.contains("rank=\"2\",host=") && said.contains("function=\"MPI_Recv\""), "{said}");
}

#[test]
fn without_a_terminal_top_says_what_to_add() {
    let folder = run(vec![outside(&[])]);
    let output = overhear("top", &folder.0, &[]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("add --once or --metrics"), "{said}");
}

/// A command in a terminal of its own.
struct InTerminal {
    child: Child,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    seen: String,
}

impl InTerminal {
    fn begin(command: &mut Command, columns: u16) -> InTerminal {
        let (mut here, mut there) = (0, 0);
        let size = libc::winsize { ws_row: 10, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: all are out parameters or null, and the size is copied.
        let opened = unsafe { libc::openpty(&mut here, &mut there, std::ptr::null_mut(), std::ptr::null(), &size) };
        assert_eq!(opened, 0);
        // SAFETY: both were opened above, and nobody else has them.
        let (here, there) = unsafe { (OwnedFd::from_raw_fd(here), OwnedFd::from_raw_fd(there)) };
        command.stdin(there.try_clone().unwrap()).stdout(there.try_clone().unwrap()).stderr(there);
        // SAFETY: both calls may be made between fork and exec.
        unsafe {
            command.pre_exec(|| {
                libc::setsid();
                libc::ioctl(0, libc::TIOCSCTTY, 0);
                Ok(())
            });
        }
        let child = command.spawn().unwrap();
        // The other end is the child's alone from now on.
        *command = Command::new("true");
        let keyboard = File::from(here);
        let mut output = keyboard.try_clone().unwrap();
        let (send, screen) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                if send.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        InTerminal { child, keyboard, screen, seen: String::new() }
    }

    /// Waits until this has been drawn.
    fn shows(&mut self, text: &str) {
        let began = Instant::now();
        while !self.seen.contains(text) {
            assert!(began.elapsed() < Duration::from_secs(60), "no {text} in {:?}", self.seen);
            if let Ok(bytes) = self.screen.recv_timeout(Duration::from_millis(100)) {
                self.seen += &String::from_utf8_lossy(&bytes);
            }
        }
    }

    /// Waits until it has ended.
    fn status(&mut self) -> i32 {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code().unwrap();
            }
            assert!(began.elapsed() < Duration::from_secs(60), "it does not end: {:?}", self.seen);
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn resize(&mut self, columns: u16) {
        self.seen.clear();
        let size = libc::winsize { ws_row: 4, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: sets the size of a terminal that is open.
        assert_eq!(unsafe { libc::ioctl(std::os::fd::AsRawFd::as_raw_fd(&self.keyboard), libc::TIOCSWINSZ, &size) }, 0);
    }
}

#[test]
fn the_screen_is_drawn_in_a_terminal_drawn_again_when_that_is_resized_and_left_with_q() {
    let folder = three();
    for columns in [80, 40] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
        command.args(["top", "--no-cache"]).arg(&folder.0).env("TERM", "xterm");
        let mut top = InTerminal::begin(&mut command, columns);
        top.shows("MPI_Barrier");
        top.shows("quits");
        top.resize(30);
        // Three rows of four lines have no room.
        top.shows("overhear");
        top.keyboard.write_all(b"q").unwrap();
        assert_eq!(top.status(), 0);
    }
}

#[test]
fn two_at_once_wait_for_a_run_follow_it_and_end_when_its_folder_is_gone() {
    let folder = Folder::new();
    let mut both = [80, 40].map(|columns| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
        command.args(["top", "--no-cache"]).arg(&folder.0).env("TERM", "xterm");
        InTerminal::begin(&mut command, columns)
    });
    both.iter_mut().for_each(|top| top.shows("no ranks yet"));
    run_in(&folder, three_stories());
    both.iter_mut().for_each(|top| top.shows("MPI_Barrier"));
    std::fs::remove_dir_all(&folder.0).unwrap();
    for top in &mut both {
        top.shows("Give the folder");
        assert_eq!(top.status(), 3);
    }
}
