//! A bar for slow loads: only on a terminal, and only after a second.

use std::io::{IsTerminal, stderr};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

pub struct LoadingBar {
    what: &'static str,
    began: Instant,
    bar: OnceLock<ProgressBar>,
}

/// A command that takes less says nothing.
pub const PATIENCE: Duration = Duration::from_secs(1);

impl LoadingBar {
    pub fn new(what: &'static str) -> LoadingBar {
        LoadingBar { what, began: Instant::now(), bar: OnceLock::new() }
    }

    /// Shows that `done` of `total` bytes are done.
    pub fn show(&self, done: u64, total: u64) {
        if self.began.elapsed() > PATIENCE && stderr().is_terminal() {
            self.bar.get_or_init(|| self.draw(total)).set_position(done.min(total));
        }
    }

    fn draw(&self, total: u64) -> ProgressBar {
        let style = ProgressStyle::with_template("{msg} {wide_bar} {bytes}/{total_bytes} {eta}");
        let bar = ProgressBar::new(total).with_message(self.what);
        match style {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }
    }
}

impl Drop for LoadingBar {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
