//! Operations in windows of time: each begins at a time that all ranks know before.
//!
//! A rank that is late for a window joins all the same, since the others need it; the window is then missed and does not count. If
//! more than a quarter are missed, windows get twice as long, and as many follow.

use crate::calls::Group;
use crate::clock::Clock;

/// Maximum number of times that windows get longer.
const ATTEMPTS: u32 = 2;
/// Operations before the first window. The fastest of them sets the length of a window: one interruption of a slow one would make all
/// windows as long as itself.
pub const WARM_UP: usize = 4;
/// A window's length, as a multiple of the slowest rank's time in that operation, and at least, in seconds.
const ROOM: f64 = 3.0;
const LEAST: f64 = 200e-6;

/// Windows after which rank 0 names a new time: a rank that was interrupted for long misses no more than these.
const IN_A_ROW: usize = 8;
/// Seconds between the moment rank 0 names that time and the first of these windows.
const AHEAD: f64 = 200e-6;

/// Times and states of all ranks in one window, on rank 0.
#[derive(Clone, Default)]
pub struct Window {
    /// By rank: when it began and ended, on rank 0's clock, seconds.
    pub times: Vec<(f64, f64)>,
    /// Some rank was late.
    pub is_missed: bool,
}

impl Window {
    pub fn taken(&self) -> Vec<f64> {
        self.times.iter().map(|(begin, end)| end - begin).collect()
    }

    /// From the first begin to the last end.
    pub fn whole(&self) -> f64 {
        let first = self.times.iter().map(|time| time.0).fold(f64::INFINITY, f64::min);
        self.times.iter().map(|time| time.1).fold(f64::NEG_INFINITY, f64::max) - first
    }

    /// From the first begin to the last.
    pub fn skew(&self) -> f64 {
        let begins = || self.times.iter().map(|time| time.0);
        begins().fold(f64::NEG_INFINITY, f64::max) - begins().fold(f64::INFINITY, f64::min)
    }
}

/// Runs an operation in `runs` windows or more. Rank 0 gets the windows; the others get nothing.
pub fn run(clock: &Clock, group: Group, runs: usize, mut operation: impl FnMut()) -> Vec<Window> {
    let mut fastest = f64::INFINITY;
    for _ in 0..WARM_UP {
        let begin = clock.now();
        operation();
        fastest = fastest.min(clock.now() - begin);
    }
    let mut length = (group.most(fastest) * ROOM).max(LEAST);
    let mut windows = Vec::new();
    for _ in 0..=ATTEMPTS {
        let own = once(clock, group, runs, length, &mut operation);
        windows.extend(gathered(group, runs, &own));
        let in_time = windows.iter().filter(|window| !window.is_missed).count();
        if group.most(in_time as f64) * 4.0 >= runs as f64 * 3.0 {
            break;
        }
        length *= 2.0;
    }
    windows
}

/// Begin, end and whether it was late, of each window in turn.
fn once(clock: &Clock, group: Group, runs: usize, length: f64, operation: &mut impl FnMut()) -> Vec<f64> {
    let (mut first, mut own) = ([0.0], Vec::with_capacity(3 * runs));
    for run in 0..runs {
        if run % IN_A_ROW == 0 {
            first = [clock.now() + 2.0 * length + AHEAD];
            group.broadcast(&mut first);
        }
        let in_time = clock.wait_until(first[0] + (run % IN_A_ROW) as f64 * length);
        let begin = clock.now();
        operation();
        own.extend([begin, clock.now(), f64::from(u8::from(!in_time))]);
    }
    own
}

fn gathered(group: Group, runs: usize, own: &[f64]) -> Vec<Window> {
    let all = group.gather(own);
    if group.rank > 0 {
        return Vec::new();
    }
    let mut windows = vec![Window::default(); runs];
    for of_rank in all.chunks_exact(3 * runs) {
        for (window, figures) in windows.iter_mut().zip(of_rank.chunks_exact(3)) {
            window.times.push((figures[0], figures[1]));
            window.is_missed |= figures[2] > 0.0;
        }
    }
    windows
}
