//! The likeness of two call sites, by what the ranks do there.

use super::program_sites::{Partner, ProgramSite};
use traces::calls::{ArgumentKind, Call, Class};

/// The parts of a likeness: the numbers of calls, the bytes of each, the partners, and the ranks that call.
const OF_CALLS: f64 = 0.4;
const OF_BYTES: f64 = 0.3;
const OF_PARTNERS: f64 = 0.2;
const OF_RANKS: f64 = 0.1;
/// The caller's part, which counts where the functions are others.
const OF_CALLER: f64 = 0.15;

/// From 0, nothing alike, to 1, all of it.
pub fn likeness(a: &ProgramSite, b: &ProgramSite) -> f64 {
    // Polls are repeated as often as the time allows.
    let polls = [a, b].iter().any(|site| site.mpi_call().is_some_and(Call::polls));
    let calls = if polls { 1.0 } else { ratio(a.calls_per_rank, b.calls_per_rank) };
    OF_CALLS * calls
        + OF_BYTES * ratio(a.bytes_per_call(), b.bytes_per_call())
        + OF_PARTNERS * shared(a, b)
        + OF_RANKS * ratio(a.of_ranks, b.of_ranks)
}

/// The likeness of sites in functions of other names.
pub fn likeness_elsewhere(a: &ProgramSite, b: &ProgramSite) -> f64 {
    (1.0 - OF_CALLER) * likeness(a, b) + if is_called_alike(a, b) { OF_CALLER } else { 0.0 }
}

/// True if one function calls those of both sites, or one of these the other: it may have been split from that.
pub fn is_called_alike(a: &ProgramSite, b: &ProgramSite) -> bool {
    let (of_a, of_b) = (&a.source, &b.source);
    let is = |caller: &str, function: &str| !caller.is_empty() && caller == function;
    is(&of_a.caller, &of_b.caller) || is(&of_b.caller, of_a.function()) || is(&of_a.caller, of_b.function())
}

/// True if one call may stand for the other: both send, both receive, both wait, or the like.
pub fn is_akin(a: &ProgramSite, b: &ProgramSite) -> bool {
    let kind = |call: Call| (call.class(), call.has(ArgumentKind::Dest), call.has(ArgumentKind::Source));
    let kinds = [a, b].map(|site| site.mpi_call().filter(|call| call.class() != Class::Lifecycle).map(kind));
    kinds[0].is_some() && kinds[0] == kinds[1]
}

/// The smaller of two amounts by the larger.
fn ratio(a: f64, b: f64) -> f64 {
    let (least, most) = (a.min(b), a.max(b));
    if most > 0.0 { least / most } else { 1.0 }
}

/// The share of both sites' partners that both have.
fn shared(a: &ProgramSite, b: &ProgramSite) -> f64 {
    let all: Vec<&Partner> = a.partners.union(&b.partners).collect();
    if all.is_empty() { 1.0 } else { a.partners.intersection(&b.partners).count() as f64 / all.len() as f64 }
}
