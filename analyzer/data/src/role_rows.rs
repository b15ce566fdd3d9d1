//! `roles`: the roles of a rank's calls towards other ranks, from its own file alone.

use std::io;
use std::sync::OnceLock;

use crate::data_table::{DataRow, RowSource, ShowRows};
use crate::set::{DataSet, OfRank, PlaceNames, RankOfRows, rank_columns};
use model::rank::function_of;
use model::rank_roles::{RankRoles, RoleKind, TakenRole};
use model::roles::{Flow, Peer};
use tables::{Column, Shared};

pub struct RoleRow {
    role: TakenRole,
    /// Rank and world of the other end, if it has a file here.
    peer: Option<(Option<u32>, u32)>,
}

pub struct RolesOfRank {
    rank: RankOfRows,
    names: PlaceNames,
}

impl OfRank for RolesOfRank {
    fn rank(&self) -> &RankOfRows {
        &self.rank
    }
}

impl DataRow for RoleRow {
    type Common = RolesOfRank;
    const TABLE: &'static str = "roles";
    const MEANING: &'static str = "What a call is to other ranks: a message sent or to be received, a probe, a part in a collective operation. Matching starts from these.";

    fn columns() -> Vec<Column<RoleRow, RolesOfRank>> {
        type Row = RoleRow;
        type Of = RolesOfRank;
        let place =
            |row: &Row, _: &Of| Some(row.role.place.number() as u32).filter(|_| row.role.kind != RoleKind::Recorded);
        let done = |row: &Row, _: &Of| row.role.done.map(|done| done.place.number() as u32);
        let collective = |row: &Row| matches!(row.role.kind, RoleKind::Collective(_));
        let mut columns = rank_columns();
        columns.extend([
            Shared::text("role", |row: &Row, _| in_words(row.role.kind).to_string())
                .means("send, receive, probe, collective, epoch of a window; elsewhere: a receive from a process without a file; recorded: no role, of which each rank has one"),
            Shared::text("flow", |row: &Row, _| flow(row.role.kind).map(String::from)).means(
                "whom a collective operation waits for: barrier, all, from root, to root, prefix, fence, create, neighbors",
            ),
            Shared::number("number", |row: &Row, _| row.role.number)
                .means("its place among the rank's roles, in the order that MPI keeps"),
            Shared::number("call", |row: &Row, _| row.role.call)
                .means("the call that began it, by its place among the rank's calls of all threads"),
            Shared::id("thread", |row: &Row, _| row.role.thread).means("thread of the rank"),
            Shared::name("function", |of: &Of| &of.names.functions, place).means("MPI function that began it"),
            Shared::name("call_site", |of: &Of| &of.names.sites, place).means("where that was called"),
            Shared::id("communicator", |row: &Row, _| row.role.object).means("key into `communicators`"),
            Shared::id("peer_rank", |row: &Row, _| row.peer.and_then(|(rank, _)| rank)).means(
                "rank in MPI_COMM_WORLD that it sends to, or got the message from; null where that is unknown or has no file",
            ),
            Shared::id("peer_world", |row: &Row, _| row.peer.map(|(_, world)| world)).means("that rank's world"),
            Shared::flag("peer_unrecorded", |row: &Row, _| row.role.peer == Peer::Unrecorded)
                .means("the other end was not recorded"),
            Shared::tag("tag", |row: &Row, _| row.role.tag)
                .means("the message's tag; null where a receive from any tag got none"),
            Shared::flag("partitioned", |row: &Row, _| row.role.partitioned)
                .means("the message is partitioned, and matches partitioned receives alone"),
            Shared::text("operation", move |row: &Row, _| collective(row).then(|| function_of(row.role.function)))
                .means("MPI function of a collective operation, the same for its form with large counts"),
            Shared::count("ordinal", move |row: &Row, _| collective(row).then_some(row.role.ordinal)).means(
                "which of the rank's collective calls on the communicator, from 1; 0 made it by its own processes alone",
            ),
            Shared::count("start_number", move |row: &Row, _| collective(row).then_some(row.role.start_number))
                .means("of a persistent operation, which of its starts, from 1; else 0"),
            Shared::flag("root", |row: &Row, _| row.role.root).means("the rank is the operation's root"),
            Shared::bytes("bytes", |row: &Row, _| row.role.bytes)
                .means("bytes of the message; of a receive the bytes that came, or the room for them"),
            Shared::ticks("start_ticks", |row: &Row, _| row.role.start)
                .means("when the call began that began it, as the rank's counter said"),
            Shared::ticks("end_ticks", |row: &Row, _| row.role.end).means("when that call ended"),
            Shared::flag("has_request", |row: &Row, _| row.role.has_request)
                .means("it has a request, so the call that began it did not wait for it"),
            Shared::number("done_call", |row: &Row, _| row.role.done.map(|done| done.call)).means(
                "the call that completed it, by its place among the rank's calls; null where none did or none waits for it",
            ),
            Shared::name("done_function", |of: &Of| &of.names.functions, done)
                .means("MPI function that completed it"),
            Shared::name("done_call_site", |of: &Of| &of.names.sites, done).means("where that was called"),
            Shared::ticks("done_start_ticks", |row: &Row, _| row.role.done.map(|done| done.start))
                .means("when the call began that completed it"),
            Shared::ticks("done_end_ticks", |row: &Row, _| row.role.done.map(|done| done.end))
                .means("when that call ended"),
            Shared::flag("cancelled", |row: &Row, _| row.role.cancelled).means("it was cancelled"),
            Shared::flag("open", |row: &Row, _| row.role.open).means("the call that began it has not returned"),
            Shared::flag("selected", |row: &Row, _| row.role.place.counts())
                .means("the call that began it is in the exported part of the run"),
            Shared::flag("done_selected", |row: &Row, _| row.role.done.is_some_and(|done| done.place.counts()))
                .means("the call that completed it is in the exported part of the run"),
        ]);
        columns
    }
}

fn in_words(kind: RoleKind) -> &'static str {
    match kind {
        RoleKind::Send => "send",
        RoleKind::Receive => "receive",
        RoleKind::Elsewhere => "elsewhere",
        RoleKind::Probe => "probe",
        RoleKind::Collective(_) => "collective",
        RoleKind::Epoch => "epoch",
        RoleKind::Recorded => "recorded",
    }
}

fn flow(kind: RoleKind) -> Option<&'static str> {
    let RoleKind::Collective(flow) = kind else { return None };
    Some(match flow {
        Flow::Barrier => "barrier",
        Flow::All => "all",
        Flow::FromRoot => "from root",
        Flow::ToRoot => "to root",
        Flow::Prefix => "prefix",
        Flow::Fence => "fence",
        Flow::Create => "create",
        Flow::Neighbors => "neighbors",
    })
}

/// The roles of a run. A part is a rank.
pub struct RoleRows<'r> {
    set: &'r DataSet<'r>,
    names: OnceLock<PlaceNames>,
}

impl<'r> RoleRows<'r> {
    pub fn new(set: &'r DataSet<'r>) -> RoleRows<'r> {
        RoleRows { set, names: OnceLock::new() }
    }
}

/// Rows shown at a time.
const ROWS: usize = 1 << 14;

impl RowSource<RoleRow> for RoleRows<'_> {
    fn parts(&self) -> Vec<usize> {
        self.set.asked().collect()
    }

    fn read(&self, part: usize, show: &mut ShowRows<'_, RoleRow>) -> io::Result<()> {
        let Some(rank) = self.set.asked().nth(part) else { return Ok(()) };
        let mut roles = RankRoles::of(self.set.run, &self.set.objects, rank, self.set.contents(rank));
        let names = self.names.get_or_init(|| PlaceNames::of(self.set.run.call_sites())).clone();
        let common = RolesOfRank { rank: self.set.rank(rank), names };
        let mut taken = Vec::new();
        while roles.read(ROWS, &mut taken) {
            let row = |role: &TakenRole| RoleRow { role: *role, peer: self.peer(role.peer) };
            show(&taken.iter().map(row).collect::<Vec<_>>(), &common)?;
        }
        Ok(())
    }
}

impl RoleRows<'_> {
    fn peer(&self, peer: Peer) -> Option<(Option<u32>, u32)> {
        if let Peer::Rank(place) = peer { Some(self.set.rank_and_world(place)) } else { None }
    }
}
