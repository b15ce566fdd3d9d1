//! The edits between two versions of a program that its call sites show, in words.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::program_sites::ProgramSite;
use super::site_pairs::{PairFound, SitePair, SitePairs};
use crate::words::{plural, site_in_words, upper, verb};
use model::sites::short_function;
use tables::number::whole;
use tables::{Column, Fact, Row, Table, Value, facts};

facts! {
    ONLY_B = "calls_of_b", Text, sometimes,
        "Call sites that only B has, or only B calls, in words. Those of A are found in B by function, call, order and what the ranks do there.";
    ONLY_A = "calls_of_a", Text, sometimes, "Call sites that only A has, or only A calls, in words.";
    INSTEAD = "calls_instead", Text, sometimes, "Calls of B that stand in the place of other calls of A, in words.";
    MOVED = "moved", Text, sometimes,
        "Call sites of A that stand in another line, file or function of B, in words. By itself that is no difference.";
}

/// Maximum number of call sites, or moves, that one fact names.
const SHOWN: usize = 4;

/// The calls that differ, the most important first.
pub fn other_calls(pairs: &SitePairs) -> Vec<Fact> {
    let replaced: Vec<usize> = pairs.instead.iter().flat_map(|both| &both.a).copied().collect();
    let replacing: Vec<usize> = pairs.instead.iter().flat_map(|both| &both.b).copied().collect();
    let alone = |all: &[ProgramSite], sites: Vec<usize>| {
        let mut sites: Vec<&ProgramSite> = sites.into_iter().map(|site| &all[site]).collect();
        sites.sort_by_key(|site| Reverse(site.calls));
        sites.into_iter().map(alone_in_words).collect::<Vec<String>>()
    };
    let of_a = pairs.pairs.iter().filter(|pair| pair.b.is_none()).filter_map(|pair| pair.a);
    let of_b = pairs.pairs.iter().filter(|pair| pair.a.is_none()).filter_map(|pair| pair.b);
    let only_a = alone(&pairs.a, of_a.filter(|site| !replaced.contains(site)).collect());
    let only_b = alone(&pairs.b, of_b.filter(|site| !replacing.contains(site)).collect());
    let one = pairs.found(PairFound::OtherCall).map(|(a, b)| instead_in_words(&[a], &[b]));
    let several = pairs.instead.iter().map(|both| {
        let [of_a, of_b] = [(&both.a, &pairs.a), (&both.b, &pairs.b)]
            .map(|(sites, all)| sites.iter().map(|site| &all[*site]).collect::<Vec<_>>());
        instead_in_words(&of_a, &of_b)
    });
    let instead: Vec<String> = one.chain(several).collect();
    let facts = [(ONLY_B, "only B calls", only_b), (ONLY_A, "only A calls", only_a), (INSTEAD, "instead", instead)];
    let told = facts.into_iter().filter(|(.., all)| !all.is_empty());
    told.map(|(key, heading, all)| Fact::new(key, heading, Value::Text(list(&all)))).collect()
}

/// The sites that only moved.
pub fn moved(pairs: &SitePairs) -> Option<Fact> {
    let all: Vec<String> = [in_lines(pairs), in_files(pairs), in_functions(pairs)].concat();
    (!all.is_empty())
        .then(|| Fact::new(MOVED, "moved", Value::Text(list(&all))).note("; tables name call sites as B has them"))
}

/// The first of many, and the number of the others.
fn list(all: &[String]) -> String {
    let more = match all.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("; {} more", whole(more as u64)),
    };
    all[..all.len().min(SHOWN)].join("; ") + &more
}

/// `MPI_Barrier at solver.c:50 in step (20 calls)`.
fn alone_in_words(site: &ProgramSite) -> String {
    let function = short_function(site.source.function());
    let within = if function.is_empty() || site.call.site.contains(&function) {
        String::new()
    } else {
        format!(" in {function}")
    };
    format!("{}{within} ({})", site_in_words(&site.call), plural(site.calls, "call"))
}

/// `MPI_Bcast at solver.c:12 in place of MPI_Send at solver.c:12 and MPI_Recv at solver.c:15 (20 calls for 60, 30 KiB received for 30 KiB)`.
fn instead_in_words(a: &[&ProgramSite], b: &[&ProgramSite]) -> String {
    let sites = |all: &[&ProgramSite]| -> Vec<String> { all.iter().map(|site| site_in_words(&site.call)).collect() };
    let [calls_a, calls_b] = [a, b].map(|all| all.iter().fold(0, |sum: u64, site| sum.saturating_add(site.calls)));
    let calls = match calls_a == calls_b {
        true => format!("{} as before", plural(calls_b, "call")),
        false => format!("{} instead of {}", plural(calls_b, "call"), whole(calls_a)),
    };
    let receives = b.iter().any(|site| site.bytes.1 > 0);
    let [bytes_a, bytes_b] = [a, b].map(|all| moved_bytes(all, receives));
    let verb = if receives { "received" } else { "sent" };
    let bytes = match (bytes_a, bytes_b) {
        (0, 0) => String::new(),
        (before, now) if before == now => format!(", {} {verb} as before", Value::Bytes(now)),
        (before, now) => format!(", {} {verb} instead of {}", Value::Bytes(now), Value::Bytes(before)),
    };
    format!("{} in place of {} ({calls}{bytes})", and(&sites(b)), and(&sites(a)))
}

/// Bytes that the ranks receive at these sites, or send there.
fn moved_bytes(sites: &[&ProgramSite], receives: bool) -> u64 {
    let bytes = |site: &ProgramSite| if receives { site.bytes.1 } else { site.bytes.0 };
    sites.iter().fold(0, |sum: u64, site| sum.saturating_add(bytes(site)))
}

/// `one, another and a third`.
fn and(all: &[String]) -> String {
    match all {
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
        [] => String::new(),
    }
}

/// `12 call sites moved by 9 lines in solver.c`, for each file; two numbers of lines are told apart.
fn in_lines(pairs: &SitePairs) -> Vec<String> {
    let mut files: BTreeMap<&str, BTreeMap<i64, u64>> = BTreeMap::new();
    let mut programs: BTreeMap<&str, u64> = BTreeMap::new();
    for (a, b) in pairs.found(PairFound::OtherLine) {
        // Without names of functions, there are addresses in place of lines.
        match b.source.functions.is_empty() {
            true => *programs.entry(&b.source.file).or_default() += 1,
            false => *files.entry(&b.source.file).or_default().entry(moved_by(a, b)).or_default() += 1,
        }
    }
    let by =
        |sites: u64, shifts: &BTreeMap<i64, u64>| format!("{} moved {}", plural(sites, "call site"), by_lines(shifts));
    let in_file = |(file, shifts): (&str, BTreeMap<i64, u64>)| {
        let moves = match shifts.len() {
            2 => and(&shifts
                .into_iter()
                .rev()
                .map(|(lines, sites)| by(sites, &[(lines, sites)].into()))
                .collect::<Vec<_>>()),
            _ => by(shifts.values().sum(), &shifts),
        };
        format!("{moves} in {file}")
    };
    let in_program = |(program, sites)| format!("{} of {program} have other addresses", plural(sites, "call site"));
    files.into_iter().map(in_file).chain(programs.into_iter().map(in_program)).collect()
}

/// The lines by which a site moved; of a site that is named by its path, by which the innermost call on it did.
fn moved_by(a: &ProgramSite, b: &ProgramSite) -> i64 {
    let lines = a.source.lines.iter().zip(&b.source.lines).rev();
    lines.map(|(a, b)| *b as i64 - *a as i64).find(|moved| *moved != 0).unwrap_or(0)
}

/// `by 9 lines`, `up by 3 to 5 lines`, `by 3 lines up to 9 down`.
fn by_lines(shifts: &BTreeMap<i64, u64>) -> String {
    let lines = |count: i64| plural(count.unsigned_abs(), "line");
    let ends = shifts.first_key_value().zip(shifts.last_key_value()).map(|((first, _), (last, _))| (*first, *last));
    match ends {
        Some((only, last)) if only == last && only > 0 => format!("by {}", lines(only)),
        Some((only, last)) if only == last => format!("up by {}", lines(only)),
        Some((first, last)) if first >= 0 => format!("by {first} to {}", lines(last)),
        Some((first, last)) if last <= 0 => format!("up by {} to {}", -last, lines(first)),
        Some((first, last)) => format!("by {} up to {last} down", lines(first)),
        None => String::new(),
    }
}

/// `exchange is in halo.c, not solver.c (3 call sites)`, for each function; one sentence for all functions of a file.
fn in_files(pairs: &SitePairs) -> Vec<String> {
    let mut files: BTreeMap<(&str, &str), BTreeMap<String, u64>> = BTreeMap::new();
    for (a, b) in pairs.found(PairFound::OtherFile) {
        let functions = files.entry((&a.source.file, &b.source.file)).or_default();
        *functions.entry(short_function(b.source.function())).or_default() += 1;
    }
    let in_words = |((from, to), functions): ((&str, &str), BTreeMap<String, u64>)| {
        let sites = plural(functions.values().sum(), "call site");
        let names: Vec<String> = functions.into_keys().collect();
        let subject = if names.len() > SHOWN { plural(names.len() as u64, "function") } else { and(&names) };
        format!("{subject} moved from {from} to {to} ({sites})")
    };
    files.into_iter().map(in_words).collect()
}

/// `exchange is called swap (3 call sites)`; of a function that goes on, `2 call sites of step are in finish`.
fn in_functions(pairs: &SitePairs) -> Vec<String> {
    let renamed = pairs.renamed_functions();
    let in_words = |((from, to), count): ((String, String), u64)| {
        let sites = plural(count, "call site");
        match renamed.get(&from) {
            Some(name) if *name == to => format!("{from} is called {to} ({sites})"),
            _ => format!("{sites} of {from} {} in {to}", verb(count, "is", "are")),
        }
    };
    pairs.in_other_functions().into_iter().map(in_words).collect()
}

/// Sentences for a page: on the calls that differ, and on what moved.
pub fn sentences(pairs: &SitePairs) -> Vec<String> {
    let in_words = |fact: Fact| match fact.key {
        ONLY_A | ONLY_B => format!("{} {}.", upper(fact.heading), fact.value),
        _ => format!("{}.", fact.value),
    };
    other_calls(pairs).into_iter().chain(moved(pairs)).map(in_words).collect()
}

/// A call site of both versions, or of one.
pub struct SitePairRow {
    found: PairFound,
    a: Option<ProgramSite>,
    b: Option<ProgramSite>,
}

impl Row for SitePairRow {
    const TABLE: &'static str = "site_pairs";
    fn columns() -> Vec<Column<Self>> {
        let name = |site: &Option<ProgramSite>| site.as_ref().map(|site| site.name.clone());
        let function = |site: &Option<ProgramSite>| site.as_ref().map(|site| site.call.function.clone());
        let calls = |site: &Option<ProgramSite>| site.as_ref().map(|site| site.calls);
        vec![
            Column::text("found", "found", |row: &Self| row.found.words().to_string()).means(
                "The way a call site of A was found in B: in the same place, another line, file or function, as another call in its place, or not at all.",
            ),
            Column::text("a_site", "call site in A", move |row: &Self| name(&row.a)).means("The call site as A's tables name it."),
            Column::text("a_function", "function in A", move |row: &Self| function(&row.a)).means("The function of MPI that A calls there."),
            Column::text("b_site", "call site in B", move |row: &Self| name(&row.b)).means("The call site as B's tables name it."),
            Column::text("b_function", "function in B", move |row: &Self| function(&row.b)).means("The function of MPI that B calls there."),
            Column::count("a_calls", "calls A", move |row: &Self| calls(&row.a)).means("Calls of all ranks in A."),
            Column::count("b_calls", "calls B", move |row: &Self| calls(&row.b)).means("Calls of all ranks in B."),
        ]
    }
}

/// The pairs that this keeps, with sites of one side alone first.
pub fn table(pairs: &SitePairs, keep: impl Fn(PairFound) -> bool) -> Table<SitePairRow> {
    let site = |all: &[ProgramSite], at: Option<usize>| at.map(|at| all[at].clone());
    let kept = pairs.pairs.iter().filter(|pair| keep(pair.found));
    let row = |pair: &SitePair| SitePairRow { found: pair.found, a: site(&pairs.a, pair.a), b: site(&pairs.b, pair.b) };
    Table::new("", kept.map(row).collect())
}
