//! Names which ranks ran which program, for launches of several.

use std::path::Path;

use model::{Rank, Run};
use rustc_hash::FxHashMap;

/// A rank's program without its folder, and its arguments.
pub fn command(rank: &Rank) -> String {
    let name = Path::new(&rank.process.program).file_name().unwrap_or_default().to_string_lossy();
    let arguments = rank.process.arguments.get(1..).unwrap_or_default().join(" ");
    format!("{name} {arguments}").trim_end().to_string()
}

/// The programs and their ranks: `a: rank 0; b 10: ranks 1-3`. `None` if all ranks ran the same.
pub fn of_ranks(run: &Run) -> Option<String> {
    let mut programs: Vec<(String, Vec<&Rank>)> = Vec::new();
    let mut known: FxHashMap<String, usize> = FxHashMap::default();
    for rank in &run.ranks {
        let command = command(rank);
        let at = *known.entry(command.clone()).or_insert(programs.len());
        if at == programs.len() {
            programs.push((command, Vec::new()));
        }
        programs[at].1.push(rank);
    }
    let line = |(command, ranks): &(String, Vec<&Rank>)| format!("{command}: {}", in_words(ranks));
    let mut lines: Vec<String> = programs.iter().take(MOST).map(line).collect();
    if programs.len() > MOST {
        lines.push(format!("{} others", programs.len() - MOST));
    }
    (programs.len() > 1).then(|| lines.join("; "))
}

/// Maximum number of programs, and of spans of ranks, that text names; of more it gives the number.
const MOST: usize = 32;

/// The ranks in words: `rank 0` or `ranks 1-3, 5`. Spawned worlds, which number their ranks anew, and processes without
/// a rank are named separately.
fn in_words(ranks: &[&Rank]) -> String {
    let mut worlds: Vec<&[&Rank]> = Vec::new();
    worlds.extend(
        ranks.chunk_by(|a, b| a.header.world == b.header.world && a.number().is_some() == b.number().is_some()),
    );
    let world = |ranks: &&[&Rank]| {
        let numbers: Vec<u32> = ranks.iter().filter_map(|rank| rank.number()).collect();
        let what = match (numbers.len(), ranks.len()) {
            (0, 1) => "a process without a rank".into(),
            (0, processes) => format!("{processes} processes without a rank"),
            (1, _) => format!("rank {}", numbers[0]),
            _ => format!("ranks {}", spans(&numbers)),
        };
        match ranks[0].header.world {
            0 => what,
            world => format!("{what} of spawned world {world}"),
        }
    };
    worlds.iter().map(world).collect::<Vec<_>>().join(", ")
}

fn spans(numbers: &[u32]) -> String {
    let span = |span: &[u32]| match span {
        [one] => one.to_string(),
        _ => format!("{}-{}", span[0], span[span.len() - 1]),
    };
    let mut spans: Vec<String> = numbers.chunk_by(|a, b| a + 1 == *b).map(span).collect();
    if spans.len() > MOST {
        let more = spans.len() - MOST;
        spans.truncate(MOST);
        spans.push(format!("{more} more spans"));
    }
    spans.join(", ")
}
