//! Time of each stage of a test run.

use std::time::Instant;

/// Finished stages, in seconds.
pub struct Stages {
    over: Vec<(&'static str, f64)>,
    began: Instant,
    last: Instant,
}

impl Stages {
    pub fn begin() -> Stages {
        let now = Instant::now();
        Stages { over: Vec::new(), began: now, last: now }
    }

    /// Ends a stage, and begins the next.
    pub fn end(&mut self, stage: &'static str) {
        self.over.push((stage, self.last.elapsed().as_secs_f64()));
        self.last = Instant::now();
    }

    /// Prints the stages and their total.
    pub fn print(&self) {
        let parts: Vec<String> = self.over.iter().map(|(stage, seconds)| format!("{stage} {seconds:.0} s")).collect();
        println!("\n{}: {:.0} s in all", parts.join(", "), self.began.elapsed().as_secs_f64());
    }
}
