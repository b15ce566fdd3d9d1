//! Synthetic runs: the trace files of ranks that exchange halos, and the truth about how long they waited for each
//! other.
//!
//! In: a folder and a [`Shape`]. Out: a file for each rank, as the recorder writes them, and the [`Truth`] about them.
//! All ranks go through the program together, step by step, each with its own clock. So an event that a rank waits for
//! is known before the rank's call ends, and memory only holds the latest records of each file.
//!
//! Floors, the highest first; a file uses only files on lower ones:
//!
//! ```text
//! lib
//! steps
//! simulated_rank
//! rank_output
//! output profile
//! program
//! cluster random shape truth
//! ```

mod cluster;
mod output;
mod profile;
mod program;
mod random;
mod rank_output;
mod shape;
mod simulated_rank;
mod steps;
mod truth;

use std::io;
use std::path::Path;

pub use cluster::Cluster;
use program::Repeats;
pub use program::{CALLERS, names};
pub use shape::{Shape, Topology};
use steps::{Settings, Steps};
pub use truth::{KnownTotals, KnownWaits, Truth};

/// Writes a run of this shape into a folder, which must exist.
///
/// Sends are buffered, so no sender waits. No file stays open, so a run may have more ranks than a process may open
/// files.
pub fn run(folder: &Path, shape: &Shape) -> io::Result<Truth> {
    written(folder, shape, Settings::default())
}

/// Writes the same run, in which each rank calls MPI through its own layer, from [`CALLERS`] in turn, with the paths
/// recorded.
pub fn run_with_paths(folder: &Path, shape: &Shape) -> io::Result<Truth> {
    written(folder, shape, Settings { repeats: Repeats::ByPath, ..Settings::default() })
}

/// Writes the same run, in which each rank makes each of its calls at so many lines, in turn.
pub fn run_at_lines(folder: &Path, shape: &Shape, lines: u32) -> io::Result<Truth> {
    written(folder, shape, Settings { repeats: Repeats::AtLines(lines), ..Settings::default() })
}

/// Writes the same run on many hosts, with behaviors planted that an analysis should tell apart: see [`Cluster`].
pub fn run_on_cluster(folder: &Path, shape: &Shape, cluster: Cluster) -> io::Result<Truth> {
    written(folder, shape, Settings { cluster: Some(cluster), ..Settings::default() })
}

fn written(folder: &Path, shape: &Shape, settings: Settings) -> io::Result<Truth> {
    let mut steps = Steps::begin(folder, shape, settings)?;
    for step in 0.. {
        if steps.calls() >= shape.calls {
            break;
        }
        steps.step(step)?;
    }
    let ranks = steps.end()?;
    let mut total = KnownTotals::default();
    for rank in &ranks {
        total += *rank;
    }
    Ok(Truth { total, ranks })
}
