//! Names which ranks ran which program, for launches of several.

use std::path::Path;

use crate::grouped_in_order::grouped_in_order;
use crate::totals::world_rank;
use crate::words::ranks_in_words;
use model::{Rank, Run};
use tables::WorldRank;

/// A rank's program without its folder, and its arguments.
pub fn command(rank: &Rank) -> String {
    let name = Path::new(&rank.process.program).file_name().unwrap_or_default().to_string_lossy();
    let arguments = rank.process.arguments.get(1..).unwrap_or_default().join(" ");
    format!("{name} {arguments}").trim_end().to_string()
}

/// The programs and their ranks: `a: rank 0; b 10: ranks 1-3`. `None` if all ranks ran the same.
pub fn of_ranks(run: &Run) -> Option<String> {
    let programs = grouped_in_order(run.ranks.iter().map(|rank| (command(rank), world_rank(rank))));
    let line = |(command, ranks): &(String, Vec<WorldRank>)| format!("{command}: {}", ranks_in_words(ranks));
    let mut lines: Vec<String> = programs.iter().take(MOST).map(line).collect();
    if programs.len() > MOST {
        lines.push(format!("{} others", programs.len() - MOST));
    }
    (programs.len() > 1).then(|| lines.join("; "))
}

/// Maximum number of programs that text names; of more it gives the number.
const MOST: usize = 32;
