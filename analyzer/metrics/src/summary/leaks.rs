//! The findings on objects that the program makes and never frees, and requests that it begins and never completes, by the line that
//! makes them.

use std::collections::BTreeMap;

use super::drift::{self, Drift};
use super::finding::LEAST_SHARE_OF_RUN;
use super::limits::limits;
use super::used_sites::{UsedSite, at};
use super::{Evidence, Finding, FindingKind, aborted};
use crate::totals::world_rank;
use crate::words::{plural, ranks_in_words, site_in_words, upper};
use model::End;
use model::matching::scenario::RunChange;
use model::matching::{LeftAtSite, LeftKind};
use model::run_parts::CountOverTime;
use model::sums::{Grow, Total};
use tables::number::whole;

limits! {
    /// Fewer objects may be all that the program ever needs, made as it comes to need them: one to each of the run's twenty parts.
    LEAST_LEFT = 20, Least, "objects", Derived;
    /// A process that has fewer has not run out of them: MPICH 4.0 made 2,046 communicators and refused the next, the earliest of the libraries
    /// tried; Open MPI 4.1 made 5,000.
    MANY = 1000, Least, "objects", Measured;
}

/// Objects or requests of one kind that ranks leave behind.
struct Leak {
    kind: LeftKind,
    /// Numbers of the lines that may have made them, the one that made most first.
    sites: Vec<u32>,
    /// Its objects that live, by the ranks' places in the run.
    ranks: BTreeMap<u32, LeftAtSite>,
}

/// The findings on what one line leaves behind, in runs that did not end for it. `drifts` are calls that it may have made longer.
pub fn findings(known: &Evidence, sites: &[UsedSite], drifts: &[Drift]) -> Vec<Finding> {
    leaks(known).iter().map(|leak| leak.finding(known, sites, drifts)).collect()
}

/// The finding on objects of which MPI made no more.
pub fn refused(known: &Evidence) -> Option<Finding> {
    let leaks = leaks(known);
    leaks.iter().find_map(|leak| leak.refused(known))
}

fn leaks(known: &Evidence) -> Vec<Leak> {
    let Some(account) = known.account() else { return Vec::new() };
    let mut of_ranks: BTreeMap<(u32, LeftKind), Vec<(u32, LeftAtSite)>> = BTreeMap::new();
    for ((at, kind), left) in &account.left_over {
        of_ranks.entry((at.rank, *kind)).or_default().push((at.place.number() as u32, *left));
    }
    let mut leaks: BTreeMap<(LeftKind, u32), Leak> = BTreeMap::new();
    for ((rank, kind), of_rank) in of_ranks {
        for (sites, left) in left_of(of_rank, account.freed.get(&(rank, kind))) {
            let leak = leaks.entry((kind, sites[0])).or_insert_with(|| Leak {
                kind,
                sites: Vec::new(),
                ranks: BTreeMap::new(),
            });
            leak.sites.extend(sites.into_iter().filter(|site| !leak.sites.contains(site)).collect::<Vec<_>>());
            leak.ranks.insert(rank, left);
        }
    }
    let mut leaks: Vec<Leak> = leaks.into_values().collect();
    leaks.sort_by_key(|leak| std::cmp::Reverse(leak.left()));
    leaks
}

/// Objects that each of a rank's lines leaves behind. Where nothing tells which line made those that were `freed`, all lines that may have left
/// some stand together.
fn left_of(sites: Vec<(u32, LeftAtSite)>, freed: Option<&CountOverTime>) -> Vec<(Vec<u32>, LeftAtSite)> {
    let mut sites = sites;
    let is_left = |left: &CountOverTime| left.at_end() as f64 >= LEAST_LEFT.get() && left.grows_with_the_run();
    sites.sort_by_key(|(site, left)| (std::cmp::Reverse(left.live.at_end()), *site));
    let Some(freed) = freed else {
        let left = sites.into_iter().filter(|(_, left)| is_left(&left.live));
        return left.map(|(site, left)| (vec![site], left)).collect();
    };
    let mut all = LeftAtSite::default();
    for (_, left) in &sites {
        all.made.grow(left.made);
        all.refused.grow(left.refused);
        all.live.grow(&left.live);
    }
    all.live.shrink(freed);
    if !is_left(&all.live) {
        return Vec::new();
    }
    let may_be: Vec<u32> =
        sites.iter().filter(|(_, left)| left.live.at_end() as f64 >= LEAST_LEFT.get()).map(|(site, _)| *site).collect();
    if may_be.is_empty() { Vec::new() } else { vec![(may_be, all)] }
}

impl Leak {
    /// Number that all ranks leave.
    fn left(&self) -> i64 {
        self.ranks.values().map(|left| left.live.at_end()).total()
    }

    fn refused(&self, known: &Evidence) -> Option<Finding> {
        let run = known.run;
        let is_over = !run.goes_on() && !known.hung();
        let is_inside = |rank: u32| {
            let End::Inside { call, .. } = &run.ranks[rank as usize].end else { return false };
            let site = run.call_sites().number(rank as usize, call.call, call.site);
            is_over && self.sites.contains(&site)
        };
        let has_many = |left: &LeftAtSite| left.live.at_end() as f64 >= MANY.get();
        let (rank, left) = self
            .ranks
            .iter()
            .filter(|(rank, left)| left.refused > 0 || has_many(left) && is_inside(**rank))
            .max_by_key(|(_, left)| left.live.at_end())?;
        let who = world_rank(&run.ranks[*rank as usize]);
        let name = drift::name(self.kind);
        let place = self.place(known);
        let headline = if left.refused > 0 {
            format!("MPI refused to make more {name}s in {place}, {}.", plural(left.refused, "time"))
        } else {
            format!("The run ended in {place}: MPI has probably no room for more {name}s.")
        };
        let detail = format!(
            "{} had made {} there and freed {}.",
            upper(&ranks_in_words(&[who])),
            whole(left.made),
            freed_in_words(left)
        );
        let mut finding = Finding::new(FindingKind::Refused, "sites", headline).detail(detail).next(self.next());
        if left.refused == 0 {
            finding.add(&aborted::rest(run));
        }
        Some(finding.ranks(vec![who]).sites(self.lines(known)))
    }

    fn finding(&self, known: &Evidence, sites: &[UsedSite], drifts: &[Drift]) -> Finding {
        let used = at(sites, self.sites[0]);
        let mut ranks: Vec<_> = self.ranks.keys().map(|rank| world_rank(&known.run.ranks[*rank as usize])).collect();
        ranks.sort_unstable();
        let are_all = ranks.len() == known.ranks();
        let who = if are_all { "Each rank".to_string() } else { upper(&ranks_in_words(&ranks)) };
        let count = ranks.len().max(1) as i64;
        let left = self.left() / count;
        let is_one = are_all || ranks.len() == 1;
        let what = match self.kind {
            LeftKind::Request => {
                let begun = used.map_or(0, UsedSite::count) / used.map_or(1, |used| used.ranks.len()).max(1) as u64;
                let begun = begun.max(left as u64);
                let completes = if is_one { "completes" } else { "complete" };
                let each = if begun > left as u64 { format!("{} of them", whole(left as u64)) } else { "any".into() };
                format!(
                    "{} {} in {} and never {completes} {each}",
                    if is_one { "begins" } else { "begin" },
                    plural(begun, drift::name(self.kind)),
                    self.place(known)
                )
            }
            kind => {
                let made = self.ranks.values().map(|left| left.made).total() / count as u64;
                let most = self.ranks.values().max_by_key(|left| left.live.at_end());
                let (makes, frees) = match (is_one, kind) {
                    (true, LeftKind::File) => ("opens", "closes"),
                    (false, LeftKind::File) => ("open", "close"),
                    (true, _) => ("makes", "frees"),
                    (false, _) => ("make", "free"),
                };
                let freed = most.map_or_else(|| "none".into(), freed_in_words);
                format!("{makes} {} in {} and {frees} {freed}", plural(made, drift::name(self.kind)), self.place(known))
            }
        };
        let mut lines = self.lines(known);
        let after = self.ranks.values().map(|left| left.live.levels()[1]).total() / count;
        let mut detail =
            format!("{} live after a tenth of the run, {} at its end.", whole(after.max(0) as u64), whole(left as u64));
        // What takes longer the more of them there are is their cost.
        let mut changes = Vec::new();
        let costs = match self.kind {
            LeftKind::Request => {
                let slower: Vec<&Drift> = drifts.iter().filter(|drift| drift.is_of_messages()).collect();
                for drift in &slower {
                    changes.push(drift.change());
                    detail += &format!(" {}", drift.in_words());
                    lines.extend(drift.lines().into_iter().filter(|line| !lines.contains(line)).collect::<Vec<_>>());
                }
                slower.iter().map(|drift| drift.costs).sum()
            }
            _ => used.map_or(0.0, |used| {
                let brief = used.total(|habits| habits.waited_briefly);
                let once = 1.0 / (used.count() / used.ranks.len().max(1) as u64).max(1) as f64;
                changes.push(RunChange::Calls(vec![used.number], once));
                (1.0 - once) * known.mean(used.own().saturating_add(brief))
            }),
        };
        let is_worth_saying = costs >= LEAST_SHARE_OF_RUN.get() * known.wall();
        let finding =
            Finding::new(FindingKind::Leak, "sites", format!("{who} {what}.")).detail(detail).next(self.next());
        let finding = finding.ranks(if are_all { Vec::new() } else { ranks }).sites(lines);
        if is_worth_saying { finding.costs(costs).changes(changes) } else { finding }
    }

    fn place(&self, known: &Evidence) -> String {
        let places = self.sites.iter().map(|site| site_in_words(&known.run.call_sites()[*site as usize]));
        places.collect::<Vec<_>>().join(" or ")
    }

    fn lines(&self, known: &Evidence) -> Vec<String> {
        self.sites.iter().filter_map(|site| known.run.call_sites()[*site as usize].line()).collect()
    }

    fn next(&self) -> &'static str {
        match self.kind {
            LeftKind::Communicator => {
                "Make it once, before the loop, and keep it, or free each with MPI_Comm_free after its last use: MPI has room for \
                 some thousands."
            }
            LeftKind::Window => {
                "Make it once, before the loop, and keep it, or free each with MPI_Win_free after its last use."
            }
            LeftKind::File => "Close each with MPI_File_close, or open it once, before the loop.",
            LeftKind::Datatype => "Free each with MPI_Type_free after its last use, or build it once, before the loop.",
            LeftKind::Group => "Free each with MPI_Group_free after its last use.",
            LeftKind::Request => {
                "Keep one request and begin the next when it is complete, by MPI_Test or MPI_Wait; end one that is not needed by \
                 MPI_Cancel and MPI_Wait."
            }
        }
    }
}

/// `none`, or the number that was freed.
fn freed_in_words(left: &LeftAtSite) -> String {
    let freed = (left.made as i64 - left.live.at_end()).max(0) as u64;
    if freed == 0 { "none".into() } else { format!("{} of them", whole(freed)) }
}
