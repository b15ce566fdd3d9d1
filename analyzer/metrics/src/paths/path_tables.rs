//! The table of call paths.

use std::collections::BTreeSet;

use traces::record::Unsampled;

use super::{PathSums, RunPaths, hot_chain};
use crate::meaning;
use crate::overview::LAYER;
use crate::totals::{percent, seconds, world_rank};
use crate::words::{plural, verb};
use model::Run;
use model::sites::{BEYOND, Layers, UNKNOWN, short_function};
use model::sums::Total;
use tables::{Column, Fact, Row, Table, Value, WorldRank, facts};

facts! {
    PATHS = "paths", Count, always, "Paths to calls of MPI: functions from the program's begin on, and where each calls the next.";
    DEEPEST = "path_functions_max", Count, always, "Functions on the longest path, MPI's included.";
    SAMPLES = "samples_between_calls", Count, sometimes,
        "Periods of the ranks' processor time that ended between calls of MPI, each with its place.";
    INSIDE = "samples_in_calls", Count, sometimes, "Periods that ended inside calls of MPI.";
    RECORDING = "samples_in_recorder", Count, sometimes,
        "Periods that ended while the recorder was at work, mostly since MPI's progress engine was entered in vain.";
    LOST = "samples_lost", Count, sometimes, "Periods that ended where no sample could be taken: no figure has them.";
    PERIOD = "sample_period_s", Seconds, sometimes, "The processor time of a thread from one sample to the next.";
}

/// The nodes to show.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct PathChoice {
    /// The functions one by one instead of the tree.
    pub flat: bool,
    /// Only the chain of functions that leads to most of the waiting.
    pub hot: bool,
    /// Functions beyond this depth are left out.
    pub depth: Option<u32>,
    /// Nodes with a smaller share of the time in MPI are left out; percent.
    pub least: f64,
}

/// A function on the way to calls of MPI, or one of MPI's. Times in seconds.
pub struct CallPathRow {
    node: u32,
    parent: Option<u32>,
    depth: u32,
    outline: String,
    function: String,
    file: String,
    site: String,
    all: PathSums,
    own: PathSums,
    share: Option<f64>,
    least: f64,
    mean: f64,
    most: f64,
    most_rank: Option<WorldRank>,
    /// `None` if waits are unknown.
    waited: Option<f64>,
    own_waited: Option<f64>,
    waited_max: Option<f64>,
    waited_max_rank: Option<WorldRank>,
    /// `None` if nothing was sampled.
    computed: Option<f64>,
    own_computed: Option<f64>,
    computed_max: Option<f64>,
    computed_max_rank: Option<WorldRank>,
}

impl Row for CallPathRow {
    const TABLE: &'static str = "paths";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::id("path", "", |row: &Self| row.node).means("The number of the path in this table."),
            Column::id("caller_path", "", |row: &Self| row.parent)
                .means("The path of the caller; none for the outermost function."),
            Column::number("depth", "", |row: &Self| u64::from(row.depth)).means("How many functions are around it."),
            Column::text("outline", "function", |row: &Self| row.outline.clone())
                .means("The function, indented by its depth, without arguments."),
            Column::text("function", "", |row: &Self| row.function.clone())
                .means("The function, as its compiler's users know it; ? where the callers are unknown.")
                .name(),
            Column::text("file", "", |row: &Self| row.file.clone())
                .means("The function's source file, empty if unknown."),
            Column::text("site", "called at", |row: &Self| row.site.clone())
                .means("Where its caller calls it, empty if unknown.")
                .name()
                .spare(1),
            Column::seconds("compute_s", "computing", |row: &Self| row.computed)
                .means("Processor time of all ranks between calls of MPI in the function and in those that it calls, by samples.")
                .silent_empty(),
            Column::seconds("own_compute_s", "itself", |row: &Self| row.own_computed)
                .means("The part of that in the function itself.")
                .silent_empty()
                .spare(2),
            Column::seconds("compute_max_s", "max", |row: &Self| row.computed_max)
                .means("The most computation of any rank.")
                .silent_empty()
                .spare(3),
            Column::rank("compute_max_rank", "rank", |row: &Self| row.computed_max_rank)
                .means("The rank that computed most.")
                .silent_empty()
                .spare(3),
            Column::seconds("time_total_s", "in MPI", |row: &Self| seconds(row.all.time))
                .means("Time of all ranks in calls of MPI that the function leads to."),
            Column::percent("time_share_percent", "share %", |row: &Self| row.share)
                .means(meaning::TIME_SHARE_PERCENT)
                .spare(4),
            Column::seconds("wait_s", "waiting", |row: &Self| row.waited)
                .means("The part of that in which ranks waited for others; none where no single calls were recorded."),
            Column::seconds("time_min_s", "min", |row: &Self| row.least)
                .means("The least time in MPI of any rank.")
                .spare(6),
            Column::seconds("time_mean_s", "mean", |row: &Self| row.mean).means(meaning::TIME_MEAN_S).spare(5),
            Column::seconds("time_max_s", "max", |row: &Self| row.most).means(meaning::TIME_MAX_S).spare(2),
            Column::rank("time_max_rank", "rank", |row: &Self| row.most_rank).means(meaning::TIME_MAX_RANK).spare(2),
            Column::seconds("wait_max_s", "", |row: &Self| row.waited_max).means("The most waiting of any rank."),
            Column::rank("wait_max_rank", "", |row: &Self| row.waited_max_rank).means("The rank that waited most."),
            Column::count("calls", "calls", |row: &Self| row.all.calls).means(meaning::CALLS).spare(2),
            Column::bytes("bytes", "bytes", |row: &Self| row.all.bytes).means(meaning::BYTES).spare(3),
            Column::seconds("own_time_s", "", |row: &Self| seconds(row.own.time))
                .means("Time of the function itself in MPI: that of MPI's functions, 0 for the program's."),
            Column::seconds("own_wait_s", "", |row: &Self| row.own_waited)
                .means("The part of that in which it waited."),
            Column::count("own_calls", "", |row: &Self| row.own.calls).means("Calls of the function itself."),
            Column::bytes("own_bytes", "", |row: &Self| row.own.bytes).means("Bytes of those."),
        ]
    }
}

/// Says how many paths are too small to be shown.
pub fn left_out(paths: &RunPaths, choice: &PathChoice) -> Option<String> {
    let whole = paths.whole.spent() as f64;
    let share = |node: u32| percent(paths.total(node).spent() as f64, whole).unwrap_or(0.0);
    let is_small = |node: &u32| paths.total(*node).calls > 0 && share(*node) < choice.least;
    let nodes = (0..).zip(&paths.tree.nodes).filter(|(_, node)| node.is_call);
    let small = nodes.map(|(node, _)| node).filter(is_small).count() as u64;
    let least = choice.least;
    let are = verb(small, "is", "are");
    let time = if paths.is_sampled { "time" } else { "time in MPI" };
    let said = format!("{} with less than {least} % of the {time} {are} left out: --least 0", plural(small, "path"));
    (small > 0).then_some(said)
}

/// The functions on the paths of a run in the order of the tree; among the callees of a function, those with the most
/// time first.
pub fn table(run: &Run, paths: &RunPaths, choice: &PathChoice) -> Table<CallPathRow> {
    let whole = paths.whole.spent();
    let hot: Option<BTreeSet<u32>> = choice.hot.then(|| hot_chain(paths).into_iter().collect());
    let is_shown = |node: u32| {
        let is_large = percent(paths.total(node).spent() as f64, whole as f64).unwrap_or(0.0) >= choice.least;
        let is_near = choice.depth.is_none_or(|depth| paths.tree.nodes[node as usize].depth < depth);
        hot.as_ref().map_or(is_large, |hot| hot.contains(&node)) && is_near && paths.has_figures(node)
    };
    let by_time =
        |nodes: &mut Vec<u32>| nodes.sort_by_key(|node| (paths.total(*node).spent(), std::cmp::Reverse(*node)));
    let mut waiting: Vec<u32> = paths.roots().collect();
    by_time(&mut waiting);
    let mut nodes = Vec::new();
    while let Some(node) = waiting.pop() {
        if is_shown(node) {
            nodes.push(node);
            let mut children = paths.children[node as usize].clone();
            by_time(&mut children);
            waiting.extend(children);
        }
    }
    let deepest = nodes.iter().map(|node| paths.tree.nodes[*node as usize].depth).max().unwrap_or(0);
    let indent = if deepest > WIDELY { 1 } else { 2 };
    Table::new("", nodes.into_iter().map(|node| row(run, paths, node, indent)).collect()).whole()
}

/// Maximum depth of trees that are indented by two.
const WIDELY: u32 = 8;
/// Maximum number of letters of a function and its indent in text.
const OUTLINE: usize = 38;

fn row(run: &Run, paths: &RunPaths, number: u32, indent: usize) -> CallPathRow {
    let node = &paths.tree.nodes[number as usize];
    let (all, own) = (paths.total(number), PathSums::total(&paths.own[number as usize]));
    let of_ranks = &paths.all[number as usize];
    let asked: Vec<usize> = (0..run.ranks.len()).filter(|at| run.ranks[*at].is_asked).collect();
    let most_of = |figure: fn(&PathSums) -> i64| {
        let most = asked.iter().copied().rev().max_by_key(|at| figure(&of_ranks[*at]));
        most.map(|at| (figure(&of_ranks[at]), world_rank(&run.ranks[at])))
    };
    let most = most_of(|sums| sums.time);
    let most_waiting = most_of(|sums| sums.waited).filter(|(waited, _)| paths.has_waits && *waited > 0);
    let most_computing = most_of(|sums| sums.computed).filter(|(computed, _)| *computed > 0);
    let computed = |sums: &PathSums| paths.is_sampled.then(|| seconds(sums.computed));
    let least = asked.iter().map(|at| of_ranks[*at].time).min().unwrap_or(0);
    CallPathRow {
        node: number,
        parent: node.parent,
        depth: node.depth,
        outline: outline(&node.function, node.depth as usize * indent),
        function: node.function.clone(),
        file: node.file.clone(),
        site: node.site.clone(),
        all,
        own,
        share: percent(all.time as f64, paths.whole.time as f64),
        least: seconds(least),
        mean: seconds(all.time) / asked.len().max(1) as f64,
        most: seconds(most.map_or(0, |(time, _)| time)),
        most_rank: most.map(|(_, rank)| rank),
        waited: paths.has_waits.then(|| seconds(all.waited)),
        own_waited: paths.has_waits.then(|| seconds(own.waited)),
        waited_max: most_waiting.map(|(waited, _)| seconds(waited)),
        waited_max_rank: most_waiting.map(|(_, rank)| rank),
        computed: computed(&all),
        own_computed: computed(&own),
        computed_max: most_computing.map(|(computed, _)| seconds(computed)),
        computed_max_rank: most_computing.map(|(_, rank)| rank),
    }
}

/// A function after its indent, cut to fit a line.
fn outline(function: &str, indent: usize) -> String {
    let indent = indent.min(OUTLINE / 2);
    let short = short_function(function);
    let room = OUTLINE - indent;
    let cut = match short.char_indices().nth(room) {
        Some(_) => short.chars().take(room - 2).collect::<String>() + "..",
        None => short,
    };
    format!("{}{cut}", " ".repeat(indent))
}

pub fn facts(run: &Run, paths: &RunPaths) -> Vec<Fact> {
    let calls: Vec<u32> = (0..).zip(&paths.tree.nodes).filter(|(_, node)| node.is_call).map(|(node, _)| node).collect();
    let deepest = calls.iter().map(|node| u64::from(paths.tree.nodes[*node as usize].depth) + 1).max().unwrap_or(0);
    let count = calls.iter().filter(|node| paths.total(**node).calls > 0).count() as u64;
    let layer: Vec<String> = Layers::of(&paths.tree, &run.choice.naming.layers).names().into_iter().collect();
    let mut facts = vec![
        Fact::new(PATHS, "paths", Value::Count(count)).note(format!(" to MPI, up to {}", plural(deepest, "function"))),
        Fact::hidden(DEEPEST, Value::Count(deepest)),
    ];
    // If call sites are named by the layer's callers, the overview names the layer.
    if !layer.is_empty() && run.sites.left_out().is_empty() {
        facts.push(Fact::new(LAYER, "layer", Value::Text(layer.join(", "))));
    }
    facts.extend(samples(run));
    facts
}

/// Facts about the processor time, if it was sampled.
fn samples(run: &Run) -> Vec<Fact> {
    let sampled = || run.asked().map(|rank| &rank.samples).filter(|samples| samples.period > 0);
    let Some(period) = sampled().map(|samples| samples.period).max() else { return Vec::new() };
    let between: u64 =
        sampled().flat_map(|samples| samples.between.values().flat_map(|sites| sites.values().copied())).total();
    let inside: u64 = sampled().flat_map(|samples| samples.inside.values().copied()).total();
    let unsampled =
        |figure: fn(&Unsampled) -> u64| -> u64 { sampled().map(|samples| figure(&samples.unsampled)).total() };
    let (recording, lost) = (unsampled(|periods| periods.recording), unsampled(|periods| periods.lost));
    let mut note = format!(" between calls, {inside} inside them");
    for (periods, what) in [(recording, "in the recorder"), (lost, "lost")] {
        if periods > 0 {
            note += &format!(", {periods} {what}");
        }
    }
    note += &format!(": one for each {} ms of processor time", period as f64 / 1e6);
    vec![
        Fact::new(SAMPLES, "samples", Value::Count(between)).note(note),
        Fact::hidden(INSIDE, Value::Count(inside)),
        Fact::hidden(RECORDING, Value::Count(recording)),
        Fact::hidden(LOST, Value::Count(lost)),
        Fact::hidden(PERIOD, Value::Seconds(period as f64 / 1e9)),
    ]
}

/// Says which callers are unknown, and which ranks have no paths.
pub fn unseen(run: &Run, paths: &RunPaths) -> Vec<String> {
    let mut said = Vec::new();
    let whole = paths.whole.calls;
    for (function, why) in [
        (UNKNOWN, "begin in code that does not say how to unwind it: their callers are unknown"),
        (BEYOND, "are longer than was recorded: their first functions are unknown"),
    ] {
        let is_such = |root: &u32| paths.tree.nodes[*root as usize].function == function;
        let calls: u64 = paths.roots().filter(is_such).map(|root| paths.total(root).calls).sum();
        if let Some(share) = percent(calls as f64, whole as f64).filter(|_| calls > 0) {
            said.push(format!("the paths of {share:.1} % of calls {why}"));
        }
    }
    let without = run.asked().filter(|rank| rank.callers.is_empty()).count() as u64;
    if without > 0 {
        said.push(format!("{} recorded no paths: their calls stand beside the tree", plural(without, "rank")));
    }
    said
}
