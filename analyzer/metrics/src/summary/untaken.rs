//! The findings on messages that lie at their receiver, ever more of them, while it receives others, or that it never receives.

use std::collections::{BTreeMap, BTreeSet};

use super::drift::Drift;
use super::used_sites::UsedSite;
use super::wrong_order::LEAST_PASSED_OVER;
use super::{Evidence, Finding, FindingKind};
use crate::totals::world_rank;
use crate::words::{plural, ranks_in_words, site_in_words, upper, verb};
use model::Rank;
use model::matching::UntakenMessages;
use model::sums::Grow;
use tables::number::whole;
use tables::{Value, WorldRank};

/// Messages of one line that lie at one rank.
struct Lying {
    site: u32,
    receiver: u32,
    /// Senders, by their places in the run.
    senders: BTreeSet<u32>,
    messages: UntakenMessages,
}

/// Findings on messages that lie untaken, and what else follows from them.
#[derive(Default)]
pub struct Untaken {
    pub findings: Vec<Finding>,
    /// Ranks that send them or look past them, by their places in the run.
    ranks: BTreeSet<u32>,
    receivers: Vec<WorldRank>,
}

impl Untaken {
    /// `passed_over`: the findings on receives that look past others; `drifts`: calls that take longer and longer.
    pub fn of(known: &Evidence, drifts: &[Drift], passed_over: &[Finding]) -> Untaken {
        let mut untaken = Untaken::default();
        for lying in lying(known) {
            let receiver = world_rank(&known.run.ranks[lying.receiver as usize]);
            let looks_past: Vec<&Finding> = match untaken.receivers.contains(&receiver) {
                true => Vec::new(),
                false => passed_over.iter().filter(|finding| finding.ranks == [receiver]).collect(),
            };
            let Some(finding) = lying.finding(known, drifts, &looks_past) else { continue };
            untaken.findings.push(finding);
            untaken.ranks.extend(lying.senders.iter().chain([&lying.receiver]));
            untaken.receivers.push(receiver);
        }
        untaken
    }

    /// True for a finding on messages in another order that these messages explain.
    pub fn explains(&self, finding: &Finding) -> bool {
        finding.kind == FindingKind::WrongOrder && finding.ranks.iter().all(|rank| self.receivers.contains(rank))
    }

    /// True if ranks that make the calls send or look past such messages.
    pub fn is_of(&self, used: &UsedSite) -> bool {
        used.ranks.iter().any(|(rank, _)| self.ranks.contains(rank))
    }
}

/// Messages that lie at a rank in growing numbers, the largest number first.
fn lying(known: &Evidence) -> Vec<Lying> {
    let mut all: BTreeMap<(u32, u32), Lying> = BTreeMap::new();
    for ((from, receiver), messages) in known.account().into_iter().flat_map(|account| &account.untaken) {
        let (site, receiver) = (from.place.number() as u32, *receiver);
        let new = || Lying { site, receiver, senders: BTreeSet::new(), messages: UntakenMessages::default() };
        let lying = all.entry((site, receiver)).or_insert_with(new);
        lying.senders.insert(from.rank);
        lying.messages.messages.grow(messages.messages);
        lying.messages.bytes.grow(messages.bytes);
        lying.messages.never.grow(messages.never);
        lying.messages.lying.grow(&messages.lying);
        lying.messages.taken_at = lying.messages.taken_at.max(messages.taken_at);
    }
    let mut all: Vec<Lying> = all.into_values().filter(Lying::is_growing).collect();
    all.sort_by_key(|lying| std::cmp::Reverse(lying.messages.lying.most()));
    all
}

impl Lying {
    /// True if there are enough of them to look past, and ever more. A rank that takes them more slowly than they come, and has taken
    /// all when the senders stop, is another matter.
    fn is_growing(&self) -> bool {
        self.messages.lying.most() as f64 >= LEAST_PASSED_OVER.get() && self.messages.lying.grows_with_the_run()
    }

    /// `looks_past`: what the receiver loses by looking past them. `None` if it takes them all, and loses nothing.
    fn finding(&self, known: &Evidence, drifts: &[Drift], looks_past: &[&Finding]) -> Option<Finding> {
        let UntakenMessages { messages, bytes, never, lying, taken_at } = self.messages;
        let costs: f64 = looks_past.iter().filter_map(|finding| finding.costs).sum();
        let has_costs = costs > 0.0 && looks_past.iter().any(|finding| finding.is_worth_it(known));
        let are_left = 2 * never > messages;
        if !(has_costs || are_left) {
            return None;
        }
        let ranks = &known.run.ranks;
        let mut senders: Vec<WorldRank> = self.senders.iter().map(|rank| world_rank(&ranks[*rank as usize])).collect();
        senders.sort_unstable();
        let receiver = world_rank(&ranks[self.receiver as usize]);
        let who = ranks_in_words(&[receiver]);
        let call = |site: u32| &known.run.call_sites()[site as usize];
        let taken_at = taken_at.map(|place| call(place.number() as u32));
        let has_ended = ranks.iter().all(Rank::is_finalized);
        let received = match taken_at {
            _ if are_left && has_ended => format!("{who} never receives"),
            _ if are_left => format!("{who} had not received when the run ended"),
            Some(place) => format!("{who} receives much later, in {}", site_in_words(place)),
            None => format!("{who} receives much later"),
        };
        let looks_past_them = if has_costs { ", and each other receive looks past them" } else { "" };
        let headline = format!(
            "{} {} {} ({}) in {} that {received}: up to {} lie there{looks_past_them}.",
            upper(&ranks_in_words(&senders)),
            verb(senders.len(), "sends", "send"),
            plural(messages, "message"),
            Value::Bytes(bytes),
            site_in_words(call(self.site)),
            whole(lying.most() as u64),
        );
        let mut lines: Vec<String> = call(self.site).line().into_iter().collect();
        lines.extend(looks_past.iter().flat_map(|finding| finding.sites.iter().cloned()));
        lines.extend(taken_at.and_then(|place| place.line()));
        let mut kept = BTreeSet::new();
        lines.retain(|line| kept.insert(line.clone()));
        let longer = drifts.iter().find(|drift| drift.lines().iter().any(|line| lines.contains(line)));
        let detail = longer.map(|drift| drift.in_words()).unwrap_or_default();
        let next = match are_left {
            true => "Receive them, or do not send them.",
            false => {
                "Receive them as they come, where MPI_Iprobe finds one or in each step, or send them when they are wanted."
            }
        };
        let finding = Finding::new(FindingKind::Untaken, "sites", headline).detail(detail).next(next);
        let finding = finding.ranks(vec![receiver]).sites(lines);
        Some(if has_costs { finding.costs(costs) } else { finding })
    }
}
