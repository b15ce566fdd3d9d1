//! Waits for another process until it has done its part, or no longer can.

use std::thread;
use std::time::{Duration, Instant};

/// State of a process that another one waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Liveness {
    /// It runs, so the wait goes on.
    Lives,
    Gone,
    /// It is on another host, or in another pid namespace.
    Unknown,
}

/// Longest wait for a process whose liveness is unknown. A process does its part, or gives up, long before.
pub const LONGEST: Duration = Duration::from_secs(10);
/// Interval between checks of the process's liveness.
pub const ASK: Duration = Duration::from_millis(250);

/// Waits until `ready` returns something. `None` if the partner has ended, or its liveness stayed unknown for
/// [`LONGEST`].
pub fn until<T>(
    mut ready: impl FnMut() -> Option<T>,
    partner: impl Fn() -> Liveness,
    mut pause: impl FnMut(),
) -> Option<T> {
    let began = Instant::now();
    let mut asked = began;
    loop {
        if let Some(ready) = ready() {
            return Some(ready);
        }
        if asked.elapsed() >= ASK {
            asked = Instant::now();
            let is_over = match partner() {
                Liveness::Lives => false,
                Liveness::Gone => true,
                Liveness::Unknown => began.elapsed() >= LONGEST,
            };
            if is_over {
                // The partner may have done its part before it ended.
                return ready();
            }
        }
        pause();
    }
}

/// Sleeps that become longer, from 20 microseconds to 20 milliseconds.
pub struct Pause(Duration);

impl Pause {
    const LONGEST: Duration = Duration::from_millis(20);

    pub fn new() -> Pause {
        Pause(Duration::from_micros(20))
    }

    pub fn take(&mut self) {
        thread::sleep(self.0);
        self.0 = (self.0 * 3 / 2).min(Pause::LONGEST);
    }
}
