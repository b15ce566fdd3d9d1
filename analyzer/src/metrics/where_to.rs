//! The breakdown by communicator, call site, message size, thread and partner.

use traces::calls::Call;
use traces::signature::{Signature, UNKNOWN_BYTES, peer};

use super::breakdown::{of_single_ranks, table};
use super::totals::{self, who, who_value};
use crate::model::rank::function;
use crate::model::sums::Total;
use crate::model::{Rank, Run};
use crate::report::{Column, Table, Value};

/// By communicator, window or file, as each rank names it.
pub fn communicators(run: &Run) -> Table {
    let groups = totals::by(run, |rank, _, entry| Some(object(rank, &entry.signature)));
    let names = vec![Column::new("communicator", "communicator"), Column::new("processes", "size")];
    let rows = groups.into_iter().map(|((name, size), group)| {
        let size = if size == 0 { Value::None } else { Value::Count(size.into()) };
        (vec![Value::Text(name), size], group)
    });
    table(run, "communicators", "by communicator".into(), names, rows.collect())
}

/// By call site and function.
pub fn sites(run: &Run) -> Table {
    let key = |rank: &Rank, signature: &Signature| (run.sites.name(rank, signature.site), function(signature));
    let groups = totals::by(run, |rank, _, entry| Some(key(rank, &entry.signature)));
    let names = vec![Column::new("site", "call site"), Column::new("function", "function")];
    let rows = groups.into_iter().map(|((site, name), group)| (vec![Value::Text(site), Value::Text(name)], group));
    table(run, "sites", "by call site".into(), names, rows.collect())
}

/// Calls whose site is a function of a Fortran binding that is linked into the program: who called that cannot be seen.
pub fn in_linked_binding(run: &Run) -> Option<String> {
    let is_binding = |rank: &Rank, signature: &Signature| {
        let call = function(signature).to_lowercase();
        let place = run.sites.function(rank, signature.site).to_lowercase();
        let place = place.trim_end_matches('_').trim_end_matches("_f08").trim_start_matches('p');
        place == call
            || place.strip_prefix("mpir_").and_then(|place| place.strip_suffix("_cdesc")) == call.strip_prefix("mpi_")
    };
    let entries = run.ranks.iter().flat_map(|rank| rank.entries().map(move |entry| (rank, entry)));
    let calls: u64 =
        entries.filter(|(rank, entry)| is_binding(rank, &entry.signature)).map(|(_, entry)| entry.count).total();
    let warning =
        "calls came through a Fortran binding that is linked into the program: their sites are in the binding";
    (calls > 0).then(|| format!("{calls} {warning}"))
}

/// By the bytes of a call, in powers of two, and function. A call that sends and receives counts by the larger.
pub fn sizes(run: &Run) -> Table {
    let groups = totals::by(run, |_, _, entry| {
        let known = |bytes| if bytes == UNKNOWN_BYTES { 0 } else { bytes };
        let bytes = known(entry.signature.sent).max(known(entry.signature.received));
        (bytes > 0).then(|| (bytes.ilog2(), function(&entry.signature)))
    });
    let names = vec![
        Column::new("size_at_least_bytes", "from"),
        Column::hidden("size_below_bytes"),
        Column::new("function", "function"),
    ];
    let rows = groups.into_iter().map(|((power, name), group)| {
        let from = 1u64 << power;
        (vec![Value::Bytes(from), Value::Bytes(from.saturating_mul(2)), Value::Text(name)], group)
    });
    let mut table =
        table(run, "sizes", "by bytes of a call, from a power of two to the next".into(), names, rows.collect());
    table.rows.sort_by_key(|row| if let Value::Bytes(from) = row[0] { from } else { 0 });
    table
}

/// By rank and thread.
pub fn threads(run: &Run) -> Table {
    let groups = totals::by(run, |rank, thread, _| Some((who(rank), thread.map(|thread| (thread.number, thread.tid)))));
    let names = vec![Column::new("rank", "of rank"), Column::new("thread", "thread"), Column::hidden("thread_id")];
    let rows = groups.into_iter().map(|((rank, thread), group)| {
        let (number, tid) = match thread {
            Some((number, tid)) => (Value::Number(number.into()), Value::Number(tid.into())),
            None => (Value::None, Value::None),
        };
        (vec![who_value(rank), number, tid], group)
    });
    of_single_ranks(run, "threads", "by thread".into(), names, rows.collect())
}

/// By communicator, rank, the rank at the other end, and function. Ranks at the other end are numbered as in the
/// communicator.
pub fn peers(run: &Run) -> Table {
    let groups = totals::by(run, |rank, _, entry| {
        let signature = &entry.signature;
        let (name, _) = object(rank, signature);
        (signature.peer != peer::NONE).then(|| (name, who(rank), in_words(signature.peer), function(signature)))
    });
    let names = vec![
        Column::new("communicator", "communicator"),
        Column::new("rank", "of"),
        Column::new("peer", "peer"),
        Column::new("function", "function"),
    ];
    let rows = groups.into_iter().map(|((communicator, rank, peer, name), group)| {
        (vec![Value::Text(communicator), who_value(rank), Value::Text(peer), Value::Text(name)], group)
    });
    of_single_ranks(run, "peers", "by partner".into(), names, rows.collect())
}

/// The object a call works on, by the name the rank has for it, and how many processes it has.
fn object(rank: &Rank, signature: &Signature) -> (String, u32) {
    if signature.object == 0 {
        return ("(none)".into(), 0);
    }
    if let Some(communicator) = rank.communicators.get(&signature.object) {
        let name = match communicator.name.is_empty() {
            true => format!("communicator {}", communicator.number),
            false => communicator.name.clone(),
        };
        return (name, communicator.size);
    }
    match rank.objects.get(&signature.object) {
        Some(object) => (format!("{:?} {}", object.kind, object.number).to_lowercase(), 0),
        None => (format!("object {}", signature.object), 0),
    }
}

fn in_words(rank: i32) -> String {
    match rank {
        peer::ANY => "any".into(),
        peer::PROC_NULL => "null".into(),
        peer::ROOT => "root".into(),
        rank => rank.to_string(),
    }
}

/// The call a rank was in, or its last one, with what is known of its arguments.
pub fn call_in_words(run: &Run, rank: &Rank, signature: &Signature) -> String {
    let mut text = function(signature);
    let call = Call::from_number(signature.call);
    let mut said = Vec::new();
    if signature.peer != peer::NONE {
        let role = call.map_or("peer", role);
        said.push(format!("{role} {}", in_words(signature.peer)));
    }
    if signature.source != peer::NONE {
        said.push(format!("source {}", in_words(signature.source)));
    }
    if signature.tag >= 0 {
        said.push(format!("tag {}", signature.tag));
    }
    let bytes = signature.sent.max(signature.received);
    if bytes > 0 && bytes != UNKNOWN_BYTES {
        said.push(format!("{bytes} bytes"));
    }
    if signature.requests > 0 {
        said.push(format!("{} request{}", signature.requests, if signature.requests == 1 { "" } else { "s" }));
    }
    if signature.object != 0 {
        said.push(object(rank, signature).0);
    }
    if !said.is_empty() {
        text = format!("{text} ({})", said.join(", "));
    }
    if signature.site != 0 {
        text = format!("{text} at {}", run.sites.name(rank, signature.site));
    }
    text
}

/// What the peer of a call is to it.
fn role(call: Call) -> &'static str {
    use traces::calls::Kind;
    let roles = [(Kind::Dest, "to"), (Kind::Source, "from"), (Kind::Root, "root"), (Kind::Target, "target")];
    roles.iter().find(|(kind, _)| call.has(*kind)).map_or("peer", |(_, role)| role)
}

/// A rank's number as text, for lines about ranks.
pub fn rank_in_words(rank: &Rank) -> String {
    match rank.number() {
        Some(number) if rank.header.world > 0 => format!("rank {number} of spawned world {}", rank.header.world),
        Some(number) => format!("rank {number}"),
        None => format!("process {}", rank.header.pid),
    }
}
