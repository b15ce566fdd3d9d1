//! The one way of waiting for another process: until what is waited for is there, or can come no more.

use std::thread;
use std::time::{Duration, Instant};

/// What is known of whoever is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Liveness {
    /// It may take its time, as in MPI.
    Lives,
    /// It has ended.
    Gone,
    /// It is on another host, or numbers of processes mean something else there.
    Unknown,
}

/// How long one is waited for of which nothing is known. Whoever others wait for has done its part, or given up, long before.
pub const LONGEST: Duration = Duration::from_secs(10);
/// How often is asked what is known.
const ASK: Duration = Duration::from_millis(250);

/// Waits until `ready` returns something. `None` where that will not happen, as far as is known.
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
                // It may have done its part and then ended.
                return ready();
            }
        }
        pause();
    }
}

/// Pauses that become longer.
pub struct Pause(Duration);

impl Pause {
    const LONGEST: Duration = Duration::from_millis(20);

    /// The first is the shortest.
    pub fn new() -> Pause {
        Pause(Duration::from_micros(20))
    }

    /// Sleeps.
    pub fn take(&mut self) {
        thread::sleep(self.0);
        self.0 = (self.0 * 3 / 2).min(Pause::LONGEST);
    }
}
