//! Shows the functions that ranks are in at one moment as a tree: ranks whose stacks begin alike share its branches.

use super::totals::world_rank;
use super::words::ranks_in_words;
use model::Rank;
use model::rank::function;
use model::sites::Sites;
use model::standing::Spot;
use tables::{Column, Row, Table, WorldRank};

/// A branch of the tree: functions that all ranks on it are in.
pub struct StackRow {
    ranks: String,
    count: u64,
    depth: u64,
    stack: String,
}

impl Row for StackRow {
    const TABLE: &'static str = "stacks";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("ranks", "ranks", |row: &Self| row.ranks.clone()).means("The ranks in these functions."),
            Column::count("rank_count", "how many", |row: &Self| row.count).means("The number of these ranks."),
            Column::number("depth", "", |row: &Self| row.depth).means("How many branches lead to this one."),
            Column::text("stack", "stack", |row: &Self| {
                format!("{}{}", "  ".repeat(row.depth as usize), row.stack)
            })
            .means("The functions that they all are in, below those of the branch before; the first and the last with where they are called."),
        ]
    }
}

/// A rank, and the functions that it is in, the outermost first.
struct RankStack {
    rank: WorldRank,
    /// Each with the place of its call.
    functions: Vec<(String, String)>,
}

/// The stacks of ranks that have paths and have not finished.
pub fn stacks<'a>(spots: impl Iterator<Item = (&'a Rank, Spot)>, sites: &Sites) -> Table<StackRow> {
    let known = spots.filter(|(rank, _)| !rank.callers.is_empty());
    let stacks: Vec<RankStack> = known.filter_map(|(rank, spot)| RankStack::of(rank, &spot, sites)).collect();
    let mut rows = Vec::new();
    branches(&stacks.iter().collect::<Vec<_>>(), 0, 0, &mut rows);
    Table::new("what they are in, from the program's first function on", rows).whole().silent_empty()
}

impl RankStack {
    fn of(rank: &Rank, spot: &Spot, sites: &Sites) -> Option<RankStack> {
        let functions = match spot {
            Spot::Inside(call, _) | Spot::Asking(call, _) => sites.stack(rank, call.site, function(call)),
            Spot::Outside(..) => vec![("(outside MPI)".into(), String::new())],
            Spot::Finalized => return None,
        };
        Some(RankStack { rank: world_rank(rank), functions })
    }
}

/// Adds the branches of stacks that are the same up to `from`.
fn branches(stacks: &[&RankStack], from: usize, depth: u64, rows: &mut Vec<StackRow>) {
    let mut groups: Vec<(&(String, String), Vec<&RankStack>)> = Vec::new();
    for stack in stacks {
        let Some(next) = stack.functions.get(from) else { continue };
        match groups.iter_mut().find(|(function, _)| *function == next) {
            Some((_, group)) => group.push(stack),
            None => groups.push((next, vec![stack])),
        }
    }
    for (_, group) in groups {
        let shared = |at: &usize| {
            let first = group[0].functions.get(*at);
            first.is_some() && group.iter().all(|stack| stack.functions.get(*at) == first)
        };
        let until = (from..).take_while(shared).last().map_or(from, |last| last + 1);
        let ranks: Vec<WorldRank> = group.iter().map(|stack| stack.rank).collect();
        let stack = in_words(&group[0].functions[from..until]);
        rows.push(StackRow { ranks: ranks_in_words(&ranks), count: ranks.len() as u64, depth, stack });
        branches(&group, until, depth + 1, rows);
    }
}

/// Functions of a branch, the first and the last with the place of their call.
fn in_words(functions: &[(String, String)]) -> String {
    let ends = [0, functions.len().saturating_sub(1)];
    let one = |(at, (function, site)): (usize, &(String, String))| match ends.contains(&at) && !site.is_empty() {
        true => format!("{function} ({site})"),
        false => function.clone(),
    };
    functions.iter().enumerate().map(one).collect::<Vec<_>>().join(" > ")
}
