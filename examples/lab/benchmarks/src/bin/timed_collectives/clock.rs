//! All ranks' clocks against rank 0's, in log2 P steps, as in section 3.2 of the document.
//!
//! Of two ranks the lower one measures the other's clock by round trips until the fastest is so many round trips old. In step k, ranks that
//! differ by 2^(k-1) do so in parallel, and the higher hands its differences down; ranks beyond the largest power of two follow in one
//! more step. Rank 0 then tells each its own.

use std::time::Instant;

use benchmarks::{World, receive, send};

const TRIP: i32 = 11;
const DIFFERENCES: i32 = 12;
const OWN: i32 = 13;

/// A rank's clock: seconds since rank 0's began.
pub struct Clock {
    begin: Instant,
    difference: Difference,
}

/// Time by which a clock is ahead of another, and its error, seconds.
#[derive(Clone, Copy, Default)]
struct Difference {
    ahead: f64,
    error: f64,
}

impl Difference {
    fn behind(self, other: Difference) -> Difference {
        Difference { ahead: self.ahead + other.ahead, error: self.error + other.error }
    }
}

impl Clock {
    /// All ranks call it.
    pub fn synchronized(world: World, patience: u32) -> Clock {
        let mut clock = Clock { begin: Instant::now(), difference: Difference::default() };
        let World { rank, size } = world;
        let power = 1usize << size.ilog2();
        // Differences of the ranks from this one on, against this one.
        let mut known = vec![Difference::default()];
        let mut stride = 1;
        while stride < power && rank < power {
            if rank % (2 * stride) == stride {
                clock.answer(rank - stride);
                send(&flat(&known), rank - stride, DIFFERENCES);
                break;
            }
            let between = clock.measure(rank + stride, patience);
            let mut theirs = vec![0.0; 2 * stride];
            receive(&mut theirs, rank + stride, DIFFERENCES);
            known.extend(
                theirs.chunks_exact(2).map(|pair| Difference { ahead: pair[0], error: pair[1] }.behind(between)),
            );
            stride *= 2;
        }
        if rank >= power {
            clock.answer(rank - power);
        } else if rank + power < size {
            let between = clock.measure(rank + power, patience);
            match rank {
                0 => known.push(between),
                _ => send(&flat(&[between]), 0, DIFFERENCES),
            }
        }
        clock.tell(world, power, known);
        clock
    }

    /// Rank 0 tells all others.
    fn tell(&mut self, World { rank, size }: World, power: usize, mut known: Vec<Difference>) {
        if rank > 0 {
            let mut own = [0.0; 2];
            receive(&mut own, 0, OWN);
            self.difference = Difference { ahead: own[0], error: own[1] };
            return;
        }
        for other in power + 1..size {
            let mut between = [0.0; 2];
            receive(&mut between, other - power, DIFFERENCES);
            known.push(Difference { ahead: between[0], error: between[1] }.behind(known[other - power]));
        }
        for (other, difference) in known.iter().enumerate().skip(1) {
            send(&flat(&[*difference]), other, OWN);
        }
    }

    /// Measures how far another's clock is ahead.
    fn measure(&self, peer: usize, patience: u32) -> Difference {
        let (mut best, mut fastest, mut since) = (Difference::default(), f64::INFINITY, 0);
        while since < patience {
            let sent = self.local();
            send(&[sent], peer, TRIP);
            let mut there = [0.0];
            receive(&mut there, peer, TRIP);
            let trip = self.local() - sent;
            since += 1;
            if trip < fastest {
                (fastest, since) = (trip, 0);
                best = Difference { ahead: there[0] - (sent + trip / 2.0), error: trip / 2.0 };
            }
        }
        send(&[f64::NAN], peer, TRIP);
        best
    }

    /// Tells the time until it is enough.
    fn answer(&self, peer: usize) {
        loop {
            let mut asked = [0.0];
            receive(&mut asked, peer, TRIP);
            if asked[0].is_nan() {
                return;
            }
            send(&[self.local()], peer, TRIP);
        }
    }

    fn local(&self) -> f64 {
        self.begin.elapsed().as_secs_f64()
    }

    /// The time on rank 0's clock.
    pub fn now(&self) -> f64 {
        self.local() - self.difference.ahead
    }

    /// By how much it may be off, seconds.
    pub fn error(&self) -> f64 {
        self.difference.error
    }

    /// Waits until a time. Whether it was not yet over.
    pub fn wait_until(&self, time: f64) -> bool {
        // If ranks share processors, those that wait let others on until shortly before.
        const SHORTLY: f64 = 30e-6;
        let in_time = self.now() <= time;
        loop {
            let left = time - self.now();
            if left <= 0.0 {
                return in_time;
            }
            if left > SHORTLY {
                std::thread::yield_now();
            }
        }
    }
}

fn flat(differences: &[Difference]) -> Vec<f64> {
    differences.iter().flat_map(|difference| [difference.ahead, difference.error]).collect()
}
