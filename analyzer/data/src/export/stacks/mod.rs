//! Writes a run's call paths for viewers of profiles: folded stacks, speedscope and pprof.
//!
//! A stack is the functions from the program's first to MPI's, weighed by the calls' time in MPI, or to one that was sampled, weighed by
//! the time that it computed.

mod folded;
mod pprof;
mod speedscope;

use std::io::{self, Write};
use std::path::Path;

use super::{Exported, create, finish};
use metrics::paths::{PathSums, RunPaths};
use model::Run;
use model::error::Error;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StackFormat {
    /// A line for each path, for flamegraph.pl, inferno and the like.
    Folded,
    /// For speedscope.app: the time in MPI and the waits.
    Speedscope,
    /// For pprof: calls, time, waits and bytes, with the rank as a label.
    Pprof,
}

/// Writes the paths of a run to a file.
pub fn write(run: &Run, paths: &RunPaths, format: StackFormat, path: &Path) -> Result<Exported, Error> {
    let failed = |source| Error::Write { path: path.into(), source };
    let ends = ends(paths);
    let mut out = create(path).map_err(failed)?;
    written(run, paths, &ends, format, &mut out).map_err(failed)?;
    Ok(Exported { tables: vec![("paths", ends.len() as u64)], bytes: finish(out).map_err(failed)? })
}

fn written(run: &Run, paths: &RunPaths, ends: &[u32], format: StackFormat, out: &mut impl Write) -> io::Result<()> {
    match format {
        StackFormat::Folded => folded::write(paths, ends, out),
        StackFormat::Speedscope => speedscope::write(run, paths, ends, out),
        StackFormat::Pprof => pprof::write(run, paths, ends, out),
    }
}

/// The functions with figures of their own.
fn ends(paths: &RunPaths) -> Vec<u32> {
    let nodes = 0..paths.tree.nodes.len() as u32;
    nodes.filter(|node| paths.own[*node as usize].iter().any(PathSums::is_something)).collect()
}

/// A path from the outermost function to a node.
fn stack(paths: &RunPaths, node: u32) -> Vec<u32> {
    let mut stack: Vec<u32> = paths.tree.upwards(Some(node)).collect();
    stack.reverse();
    stack
}
