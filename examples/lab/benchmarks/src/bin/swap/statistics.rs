//! The document's statistics of times by number of messages.

use benchmarks::statistics::{disturbed, interval, mean, median};

/// A number of messages and their times, in seconds, divided by the number of times that each message was sent.
pub struct Point {
    pub messages: usize,
    /// Each go: the largest time of one processor.
    pub times: Vec<f64>,
    /// Each go: from the first processor's begin to the last one's end, where they have one clock.
    pub elapsed: Option<Vec<f64>>,
}

pub struct Statistics {
    /// (T_N2 - T_N1) / (N2 - N1) of the two largest numbers of messages.
    pub a: Option<Spread>,
    /// min T_N / bytes.
    pub b: f64,
    /// Error of a * messages + b * bytes in percent: the mean, and the largest.
    pub error: Option<(f64, f64)>,
}

/// A median, and between which bounds it lies with 95 % confidence where there were several goes.
#[derive(Clone, Copy)]
pub struct Spread {
    pub median: f64,
    pub interval: Option<(f64, f64)>,
}

/// The statistics of one protocol and a volume in bytes.
pub fn statistics(points: &[Point], bytes: u64) -> Statistics {
    let a = match points {
        [.., one, two] => {
            let step = (two.messages - one.messages) as f64;
            let slopes: Vec<f64> = two.times.iter().zip(&one.times).map(|(two, one)| (two - one) / step).collect();
            // Difference of the medians: the median of differences has the noise of both.
            let of = (median(&two.times) - median(&one.times)) / step;
            Some(Spread { median: of, interval: interval(&slopes) })
        }
        _ => None,
    };
    let least = points.iter().map(|point| median(&point.times)).fold(f64::INFINITY, f64::min);
    let b = least / bytes as f64;
    let missed = |point: &Point, a: f64| {
        let time = median(&point.times);
        100.0 * ((a * point.messages as f64 + b * bytes as f64) / time - 1.0).abs()
    };
    let error = a.map(|a| {
        let missed: Vec<f64> = points.iter().map(|point| missed(point, a.median)).collect();
        (mean(&missed), missed.into_iter().fold(0.0, f64::max))
    });
    Statistics { a, b, error }
}

impl Point {
    pub fn time(&self) -> Spread {
        spread(&self.times)
    }

    /// Number of goes that took longer than the median by more than half.
    pub fn disturbed(&self) -> usize {
        disturbed(&self.times)
    }
}

pub fn spread(values: &[f64]) -> Spread {
    Spread { median: median(values), interval: interval(values) }
}
