//! The finding on data in small pieces: calls that take far longer than the same bytes side by side would.
//!
//! A datatype with gaps says in how many pieces a call's bytes lie, and the library copies each by itself. The same bytes side by side take
//! what other calls of the function took for theirs; in a run without such calls, what it takes to copy them into a buffer and out of it.

use super::eager_limit::COPIED;
use super::limits::limits;
use super::used_sites::UsedSite;
use super::{Evidence, Finding, FindingKind};
use crate::scheduling::by_host;
use crate::totals::seconds;
use crate::words::site_in_words;
use model::matching::scenario::RunChange;
use model::roles::{CallPart, Flow};
use model::sums::Total;
use tables::Value;
use tables::number::whole;
use traces::calls::{ArgumentKind, Call};

limits! {
    /// At 10 GB/s larger messages take longer for their bytes (6 us) than for the call.
    LEAST_BYTES = 64 * 1024, Least, "bytes", Derived;
    /// Pieces of 8 bytes to 2 KiB took 2.2 to 67 times as long as the same bytes side by side under Open MPI and MPICH, pieces of 8 KiB 1.0 to
    /// 2.8 times.
    LONGEST_PIECE = 4096, Most, "bytes", Measured;
    /// Calls that take this many times as long as the same bytes side by side. Pieces of 8 to 2,048 bytes took 1.2 to 31 times as long as at
    /// 10 GB/s, into a buffer and out of it; bytes side by side 0.3 to 0.9 times.
    SLOW = 1.2, Least, "times", Measured;
    /// Of nonblocking calls nobody knows which of them a completion was for: pieces are told from that only if they have most of the bytes.
    MOST_STARTED = 0.9, Least, "of the bytes", Convention;
}

/// Functions that make datatypes which may have gaps.
const SCATTER: [Call; 12] = [
    Call::Type_vector,
    Call::Type_hvector,
    Call::Type_create_hvector,
    Call::Type_indexed,
    Call::Type_hindexed,
    Call::Type_create_hindexed,
    Call::Type_create_indexed_block,
    Call::Type_create_hindexed_block,
    Call::Type_struct,
    Call::Type_create_struct,
    Call::Type_create_subarray,
    Call::Type_create_darray,
];

/// Calls with what they move, and what they take for it.
struct Moved<'s, 'a> {
    /// The calls that hand over the data, and those that complete them.
    all: Vec<&'s UsedSite<'a>>,
    count: u64,
    bytes: u64,
    pieces: u64,
    /// Seconds of all ranks without their waits.
    own: f64,
}

/// `sites` are all call sites, including those that make datatypes.
pub fn finding(used: &UsedSite, sites: &[UsedSite]) -> Option<Finding> {
    let known = used.known;
    // A slow network takes as long for bytes that lie side by side; where ranks share cores, calls wait for these.
    if !is_in_small_pieces(used) || known.shares_cores() || by_host(known.run).len() > 1 {
        return None;
    }
    let moved = if starts(used) { started(used, sites)? } else { Moved::of(known, &[used], vec![used]) };
    let alike = if starts(used) { None } else { side_by_side(used, sites) };
    let (rate, compared) = alike.map_or((COPIED, None), |(rate, site)| (rate, Some(site)));
    let cheaper = rate * moved.bytes as f64;
    let factor = moved.own / cheaper.max(f64::MIN_POSITIVE);
    if factor < SLOW.get() {
        return None;
    }
    let each = |sum: u64| sum / moved.count.max(1);
    let times = if factor < 9.95 { format!("{factor:.1}") } else { format!("{factor:.0}") };
    let place = match moved.all.iter().find(|one| one.completes()) {
        Some(completes) => format!("{}, with {},", used.place(), completes.place()),
        None => used.place(),
    };
    let headline = format!(
        "{place} takes {times} times as long as {}: {} lie in {} pieces of {}.",
        if compared.is_some() { "for the same bytes side by side" } else { "to copy its bytes" },
        Value::Bytes(each(moved.bytes)),
        whole(each(moved.pieces)),
        Value::Bytes(moved.bytes / moved.pieces.max(1)),
    );
    let of_one = |time: f64| Value::Seconds(time / moved.count.max(1) as f64);
    let instead = match compared {
        Some(site) => format!("side by side they take some {}, as those of {}", of_one(cheaper), site.place()),
        None => format!("to copy them in and out takes some {}", of_one(cheaper)),
    };
    let makes = sites.iter().find(|site| site.call().is_some_and(|call| SCATTER.contains(&call)));
    let built = makes.map_or(String::new(), |makes| format!(" {} builds such a datatype.", site_in_words(makes.site)));
    let detail = format!("A call takes {} for them; {instead}.{built}", of_one(moved.own));
    let next = "Let what is sent lie side by side in an array of its own, so that it is contiguous, or describe it by longer pieces: the \
                library copies each by itself.";
    let places = used.sites().into_iter().chain(makes.into_iter().flat_map(UsedSite::sites));
    let changes = RunChange::Calls(moved.all.iter().map(|one| one.number).collect(), 1.0 / factor);
    let finding = Finding::new(FindingKind::DataInPieces, "sites", headline).detail(detail).next(next);
    let costs = (moved.own - cheaper) / known.ranks() as f64;
    Some(finding.costs(costs).changes(vec![changes]).sites(places.collect()))
}

impl<'s, 'a> Moved<'s, 'a> {
    /// What calls `from` these sites hand over, in the time of `all`.
    fn of(known: &Evidence, from: &[&UsedSite], all: Vec<&'s UsedSite<'a>>) -> Moved<'s, 'a> {
        let count = from.iter().map(|used| used.count()).total();
        let bytes = from.iter().map(|used| bytes_in_pieces(used)).total();
        let pieces = from.iter().map(|used| pieces(used)).total();
        let own = known.running_in_mpi() * seconds(all.iter().map(|used| used.own()).total());
        Moved { all, count, bytes, pieces, own }
    }
}

/// All nonblocking calls of the run and those that complete them, if pieces have most of the bytes and `used` the most of these. What is sent is
/// received, too, and counts once.
fn started<'s, 'a>(used: &UsedSite, sites: &'s [UsedSite<'a>]) -> Option<Moved<'s, 'a>> {
    let from: Vec<&UsedSite> = sites.iter().filter(|one| starts(one) && moves(one)).collect();
    let most = from.iter().max_by_key(|one| (bytes_in_pieces(one), !only_receives(one)))?;
    let bytes: u64 = from.iter().map(|one| one.bytes()).total();
    let in_pieces = |sites: &[&UsedSite]| -> u64 { sites.iter().map(|one| bytes_in_pieces(one)).total() };
    if most.number != used.number || (in_pieces(&from) as f64) < MOST_STARTED.get() * bytes as f64 {
        return None;
    }
    let mut completes: Vec<&UsedSite> = sites.iter().filter(|one| one.completes()).collect();
    completes.sort_by_key(|one| std::cmp::Reverse(one.own()));
    let all = from.iter().copied().chain(completes).collect();
    let (received, sent): (Vec<&UsedSite>, Vec<&UsedSite>) = from.iter().partition(|one| only_receives(one));
    let larger = if in_pieces(&received) > in_pieces(&sent) { received } else { sent };
    Some(Moved::of(used.known, &larger, all))
}

/// Seconds for a byte in calls of the same function with bytes side by side, and where they are.
fn side_by_side<'s, 'a>(used: &UsedSite, sites: &'s [UsedSite<'a>]) -> Option<(f64, &'s UsedSite<'a>)> {
    let is_alike =
        |one: &&UsedSite| one.call() == used.call() && pieces(one) == 0 && is_large(one.bytes(), one.count());
    let most = sites.iter().filter(is_alike).max_by_key(|one| one.bytes())?;
    Some((used.known.running_in_mpi() * seconds(most.own()) / most.bytes() as f64, most))
}

fn is_in_small_pieces(used: &UsedSite) -> bool {
    let (bytes, pieces) = (bytes_in_pieces(used), pieces(used));
    let is_small = pieces > 0 && bytes <= LONGEST_PIECE.count().saturating_mul(pieces);
    is_small && moves(used) && is_large(bytes, used.count())
}

fn is_large(bytes: u64, count: u64) -> bool {
    bytes >= LEAST_BYTES.count().saturating_mul(count)
}

fn pieces(used: &UsedSite) -> u64 {
    used.total(|habits| habits.pieces)
}

fn bytes_in_pieces(used: &UsedSite) -> u64 {
    used.total(|habits| habits.bytes_in_pieces)
}

/// True if other calls complete these.
fn starts(used: &UsedSite) -> bool {
    used.ranks.first().is_some_and(|(_, habits)| habits.starts)
}

fn only_receives(used: &UsedSite) -> bool {
    matches!(used.ranks.first().map(|(_, habits)| habits.part), Some(CallPart::Message { sends: false, .. }))
}

/// True of messages, and of collective calls that do nothing with what they move.
fn moves(used: &UsedSite) -> bool {
    match used.ranks.first().map(|(_, habits)| habits.part) {
        Some(CallPart::Message { .. }) => true,
        Some(CallPart::Collective { flow, .. }) => {
            matches!(flow, Flow::All | Flow::FromRoot | Flow::ToRoot | Flow::Neighbors)
                && !used.call().is_some_and(|call| call.has(ArgumentKind::Op))
        }
        _ => false,
    }
}
