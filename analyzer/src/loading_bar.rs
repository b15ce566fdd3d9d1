//! A bar for slow loads: only on a terminal, and only after a second.

use std::io::{IsTerminal, stderr};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// See the module.
pub struct LoadingBar {
    what: &'static str,
    total: u64,
    done: AtomicU64,
    began: Instant,
    bar: OnceLock<ProgressBar>,
}

const PATIENCE: Duration = Duration::from_secs(1);

impl LoadingBar {
    /// Nothing of `total` bytes is done.
    pub fn new(what: &'static str, total: u64) -> LoadingBar {
        LoadingBar { what, total, done: AtomicU64::new(0), began: Instant::now(), bar: OnceLock::new() }
    }

    /// So many bytes more are done.
    pub fn add(&self, bytes: u64) {
        let done = self.done.fetch_add(bytes, Relaxed) + bytes;
        if self.began.elapsed() > PATIENCE && stderr().is_terminal() {
            self.bar.get_or_init(|| self.draw()).set_position(done.min(self.total));
        }
    }

    fn draw(&self) -> ProgressBar {
        let style = ProgressStyle::with_template("{msg} {wide_bar} {bytes}/{total_bytes} {eta}");
        let bar = ProgressBar::new(self.total).with_message(self.what);
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
