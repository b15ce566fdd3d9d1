//! Folded stacks: the functions of a path, separated by semicolons, and the time in MPI or computing in nanoseconds.

use std::io::{self, Write};

use super::stack;
use metrics::paths::{PathSums, RunPaths};

pub fn write(paths: &RunPaths, ends: &[u32], out: &mut impl Write) -> io::Result<()> {
    for end in ends {
        let names = stack(paths, *end).into_iter().map(|node| name(&paths.tree.nodes[node as usize].function));
        writeln!(
            out,
            "{} {}",
            names.collect::<Vec<_>>().join(";"),
            PathSums::total(&paths.own[*end as usize]).spent()
        )?;
    }
    Ok(())
}

/// A function's name without the format's separators.
fn name(function: &str) -> String {
    function.replace([';', '\n'], ":")
}
