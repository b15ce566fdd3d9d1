//! What a run of the tests spends its time on.

use std::time::Instant;

/// The stages that are over, with their seconds.
pub struct Stages {
    over: Vec<(&'static str, f64)>,
    began: Instant,
    last: Instant,
}

impl Stages {
    /// Begins the first.
    pub fn begin() -> Stages {
        let now = Instant::now();
        Stages { over: Vec::new(), began: now, last: now }
    }

    /// Ends one, and begins the next.
    pub fn end(&mut self, stage: &'static str) {
        self.over.push((stage, self.last.elapsed().as_secs_f64()));
        self.last = Instant::now();
    }

    /// Prints them, and what all took.
    pub fn print(&self) {
        let parts: Vec<String> = self.over.iter().map(|(stage, seconds)| format!("{stage} {seconds:.0} s")).collect();
        println!("\n{}: {:.0} s in all", parts.join(", "), self.began.elapsed().as_secs_f64());
    }
}
