//! The finding on messages between ranks of one host that go through sockets, as a setting or a missing driver makes them.

use super::limits::limits;
use super::used_sites::UsedSite;
use super::{Evidence, Finding, FindingKind, transfer};
use crate::engine::Ledger;
use crate::scheduling::by_host;
use model::rank::is_nested;
use model::sums::Total;
use tables::Value;
use traces::calls::{Call, Class};

limits! {
    /// Launchers talk through sockets, too: fewer bytes are theirs.
    LEAST_BYTES = 1 << 20, Least, "bytes", Convention;
    /// The least share of the run for which it is said. The system calls, of which this is the time, are a small part of what sockets cost.
    LEAST_SHARE = 0.01, Least, "of the run", Convention;
}

pub fn finding(known: &Evidence, sites: &[UsedSite]) -> Option<Finding> {
    let hosts = by_host(known.run);
    let [(host, _)] = hosts.as_slice() else { return None };
    let ledger = Ledger::of_run(known.run);
    let is_message = |call: u16| Call::from_number(call).is_some_and(|call| call.class() == Class::PointToPoint);
    let entries = known.run.asked().flat_map(|rank| rank.entries());
    let messages = entries.filter(|entry| !is_nested(entry) && is_message(entry.signature.call));
    let messages: u64 = messages.map(|entry| entry.sent).total();
    if ledger.sent < LEAST_BYTES.count() || 2 * ledger.sent < messages {
        return None;
    }
    let in_system = (ledger.receive_time + ledger.send_time) / known.ranks() as f64;
    if in_system < LEAST_SHARE.get() * known.wall() {
        return None;
    }
    let completion = transfer::completion(known);
    let moving = |used: &UsedSite| {
        let waits = completion.get(&used.number).copied().unwrap_or(0).saturating_add(used.blamed_inside());
        used.own().saturating_add(waits)
    };
    let moving: i64 = sites.iter().filter(|used| used.moves_data()).map(moving).total();
    let costs = known.mean(moving).clamp(in_system, known.in_mpi().max(in_system));
    let bytes = Value::Bytes(ledger.sent);
    let headline = format!("All ranks are on {host}, but send {bytes} to each other through sockets.");
    let next =
        "Shared memory is faster: see which transport the settings choose (mpirun --mca btl, UCX_TLS, FI_PROVIDER).";
    Some(Finding::new(FindingKind::Sockets, "progress", headline).costs(costs).next(next))
}
