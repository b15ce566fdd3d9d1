//! Runs commands in pseudo-terminals.

use std::fs::File;
use std::io::Read;
use std::num::NonZero;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A command in a terminal of its own.
pub struct InTerminal {
    child: Child,
    /// Keyboard input.
    pub keyboard: File,
    screen: Receiver<Vec<u8>>,
    /// The test reads no further output.
    is_closed: Arc<AtomicBool>,
    /// Output so far.
    pub seen: String,
    columns: u16,
}

/// Default height of a terminal.
const ROWS: u16 = 24;

impl InTerminal {
    /// Starts a command, which is consumed.
    pub fn begin(command: &mut Command, columns: u16) -> InTerminal {
        let (mut here, mut there) = (0, 0);
        let size = libc::winsize { ws_row: ROWS, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: all are out parameters or null, and the size is copied.
        let opened = unsafe { libc::openpty(&mut here, &mut there, std::ptr::null_mut(), std::ptr::null(), &size) };
        assert_eq!(opened, 0);
        // SAFETY: both were opened above, and have no other owner.
        let (here, there) = unsafe { (OwnedFd::from_raw_fd(here), OwnedFd::from_raw_fd(there)) };
        // A child with both ends would keep its own terminal open.
        // SAFETY: sets a flag of a file that is open.
        assert_eq!(unsafe { libc::fcntl(here.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) }, 0);
        command.stdin(there.try_clone().unwrap()).stdout(there.try_clone().unwrap()).stderr(there);
        // SAFETY: all calls may be made between fork and exec.
        unsafe {
            command.pre_exec(|| {
                libc::setsid();
                libc::ioctl(0, libc::TIOCSCTTY, 0);
                // A shell that began the tests in the background made them, and their children, ignore it.
                libc::signal(libc::SIGINT, libc::SIG_DFL);
                Ok(())
            });
        }
        let child = command.spawn().unwrap();
        // This closes our copy of the other end, so that only the child has it.
        *command = Command::new("true");
        let keyboard = File::from(here);
        let mut output = keyboard.try_clone().unwrap();
        let (send, screen) = channel();
        let is_closed = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&is_closed);
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while !is_over.load(Relaxed) {
                let mut look = libc::pollfd { fd: output.as_raw_fd(), events: libc::POLLIN, revents: 0 };
                // SAFETY: writes into `look`, which is one.
                if unsafe { libc::poll(&mut look, 1, 100) } == 0 {
                    continue;
                }
                let Ok(count @ 1..) = output.read(&mut bytes) else { return };
                if send.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        InTerminal { child, keyboard, screen, is_closed, seen: String::new(), columns }
    }

    /// Waits until the text has been drawn.
    pub fn shows(&mut self, text: &str) {
        let began = Instant::now();
        while !self.seen.contains(text) {
            assert!(began.elapsed() < Duration::from_secs(60), "no {text} in {:?}", self.seen);
            self.look();
        }
    }

    /// Text on the screen.
    pub fn screen(&self) -> String {
        let sized = |lines| NonZero::new(lines).unwrap();
        let mut screen = vt100::Parser::new(sized(ROWS), sized(self.columns), 0);
        screen.process(self.seen.as_bytes());
        let rows: Vec<String> = screen.screen().rows(0, self.columns).map(|row| row.trim_end().into()).collect();
        rows.join("\n").trim_end().to_string() + "\n"
    }

    /// Takes new output. Returns false if there will be no more.
    fn look(&mut self) -> bool {
        match self.screen.recv_timeout(Duration::from_millis(100)) {
            Ok(bytes) => self.seen += &String::from_utf8_lossy(&bytes),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return false,
        }
        true
    }

    /// All output, once the command has ended.
    pub fn text(&mut self) -> String {
        assert_eq!(self.status(), 0, "{:?}", self.seen);
        while self.look() {}
        self.seen.replace('\r', "")
    }

    /// Waits until the command has ended, and returns its status.
    pub fn status(&mut self) -> i32 {
        self.ended().code().unwrap()
    }

    /// Waits until the command has ended.
    pub fn ended(&mut self) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "it does not end: {:?}", self.seen);
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Closes the terminal, and waits until the command has ended.
    pub fn hang_up(self) -> i32 {
        let InTerminal { child, keyboard, screen, is_closed, seen, columns } = self;
        is_closed.store(true, Relaxed);
        // The reading thread closes its other half.
        drop(keyboard);
        let nowhere = File::open("/dev/null").unwrap();
        InTerminal { child, keyboard: nowhere, screen, is_closed, seen, columns }.status()
    }

    /// Resizes the terminal.
    pub fn resize(&mut self, columns: u16) {
        self.seen.clear();
        let size = libc::winsize { ws_row: 4, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: sets the size of a terminal that is open.
        assert_eq!(unsafe { libc::ioctl(self.keyboard.as_raw_fd(), libc::TIOCSWINSZ, &size) }, 0);
    }
}
