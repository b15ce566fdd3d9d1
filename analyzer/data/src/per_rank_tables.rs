//! Tables that are small compared to a rank's calls, with all rows of a rank at once: signatures, call sites,
//! communicators and hosts.

use std::collections::BTreeSet;
use std::io;

use traces::definitions::ObjectKind;
use traces::signature::{peer, tag};

use crate::data_table::{DataRow, RowSource, ShowRows};
use crate::meanings::rank_of;
use crate::set::{DataSet, RankOfRows, rank_columns};
use model::rank::{function, is_nested};
use model::sites::{CallNode, CallTree};
use model::tally::CallTotal;
use tables::{Column, Row, Shared};

pub use metrics::hosts::HostRow;

/// A function that makes the rows of a rank, given by place in the run.
pub struct PerRank<'r, R> {
    set: &'r DataSet<'r>,
    rows: fn(&DataSet<'_>, usize) -> Vec<R>,
}

impl<'r, R> PerRank<'r, R> {
    pub fn new(set: &'r DataSet<'r>, rows: fn(&DataSet<'_>, usize) -> Vec<R>) -> PerRank<'r, R> {
        PerRank { set, rows }
    }
}

impl<R: DataRow<Common = RankOfRows>> RowSource<R> for PerRank<'_, R> {
    fn parts(&self) -> Vec<usize> {
        self.set.asked().collect()
    }

    fn read(&self, part: usize, show: &mut ShowRows<'_, R>) -> io::Result<()> {
        match self.set.asked().nth(part) {
            Some(rank) => show(&(self.rows)(self.set, rank), &self.set.rank(rank)),
            None => Ok(()),
        }
    }
}

pub struct SignatureRow {
    thread: Option<u32>,
    total: CallTotal,
    call_site: String,
    communicator: Option<u32>,
    peer: Option<u32>,
    source: Option<u32>,
    pieces: u64,
}

impl DataRow for SignatureRow {
    type Common = RankOfRows;
    const TABLE: &'static str = "signatures";
    const MEANING: &'static str = "Calls of a thread that agree in function, call site, communicator, partner, tag and bytes, added up; also those of a profile.";

    fn columns() -> Vec<Column<SignatureRow, RankOfRows>> {
        type Row = SignatureRow;
        type Of = RankOfRows;
        let wanted_tag = |number: i32| Some(number).filter(|number| *number != tag::NONE && *number != tag::ANY);
        let mut columns = rank_columns();
        columns.extend([
            Shared::id("thread", |row: &Row, _| row.thread)
                .means("thread of the rank; null for threads without room of their own in the file"),
            Shared::id("signature", |row: &Row, _| row.total.signature.number)
                .means("number by which the thread's rows of `calls` name it"),
            Shared::text("function", |row: &Row, _| function(&row.total.signature)).means("MPI function"),
            Shared::text("call_site", |row: &Row, _| row.call_site.clone())
                .means("where it was called, as `report` names it"),
            Shared::id("site", |row: &Row, _| row.total.signature.site).means("key into `sites`, with rank and world"),
            Shared::id("communicator", |row: &Row, _| row.communicator)
                .means("key into `communicators`; null for calls on none"),
            Shared::id("peer_rank", |row: &Row, _| row.peer)
                .means("rank in MPI_COMM_WORLD of destination, source, root or target; null for none or any"),
            Shared::tag("tag", move |row: &Row, _| wanted_tag(row.total.signature.tag))
                .means("tag that it sends or receives by; null for none or any"),
            Shared::id("source_rank", |row: &Row, _| row.source)
                .means("of a call that sends and receives: rank in MPI_COMM_WORLD that it receives from"),
            Shared::flag("any_source", |row: &Row, _| {
                row.total.signature.peer == peer::ANY || row.total.signature.source == peer::ANY
            })
            .means("it receives from MPI_ANY_SOURCE"),
            Shared::flag("nested", |row: &Row, _| is_nested(&row.total))
                .means("made inside other calls, whose time holds theirs"),
            Shared::count("calls", |row: &Row, _| row.total.count).means("how many calls"),
            Shared::count("open_calls", |row: &Row, _| row.total.open).means("how many have not returned"),
            Shared::count("failed_calls", |row: &Row, _| row.total.failed)
                .means("how many returned an error, or never"),
            Shared::seconds("time_s", |row: &Row, of: &Of| of.seconds(row.total.total)).means("time in them, added"),
            Shared::seconds("min_s", |row: &Row, of: &Of| (row.total.count > 0).then(|| of.seconds(row.total.min)))
                .means("the shortest that returned, if one has"),
            Shared::seconds("max_s", |row: &Row, of: &Of| of.seconds(row.total.max)).means("the longest"),
            Shared::bytes("sent_bytes", |row: &Row, _| row.total.sent).means("bytes they handed out, added"),
            Shared::bytes("received_bytes", |row: &Row, _| row.total.received)
                .means("bytes that came, added; as posted where nobody knows"),
            Shared::count("pieces", |row: &Row, _| Some(row.pieces).filter(|pieces| *pieces > 0))
                .means("pieces that these bytes lay in, where datatypes scatter them; null where they lie side by side or nobody knows"),
            Shared::count("engine_entries", |row: &Row, _| row.total.engine.entries)
                .means("entries into the progress engine during them"),
            Shared::count("engine_productive_entries", |row: &Row, _| row.total.engine.productive)
                .means("entries that achieved something"),
            Shared::seconds("engine_s", |row: &Row, of: &Of| of.seconds(row.total.engine.ticks))
                .means("time inside the progress engine"),
        ]);
        columns
    }
}

pub fn signature_rows(set: &DataSet<'_>, at: usize) -> Vec<SignatureRow> {
    let rank = &set.run.ranks[at];
    let row = |thread: Option<u32>, total: &CallTotal| {
        let signature = &total.signature;
        let peer = |number| rank_of(set.run, &set.objects, at, signature.object, number);
        SignatureRow {
            thread,
            total: *total,
            call_site: set.run.sites.place(rank, signature.site),
            communicator: set.objects.number(at, signature.object),
            peer: peer(signature.peer),
            source: peer(signature.source),
            pieces: rank.pieces_of_calls(total),
        }
    };
    let of_threads = rank.threads.iter().flat_map(|thread| {
        let number = Some(thread.number);
        thread.entries.iter().map(move |total| row(number, total))
    });
    of_threads.chain(rank.shared.iter().map(|total| row(None, total))).collect()
}

pub struct SiteRow {
    site: u32,
    call_site: String,
    caller: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    module: Option<String>,
    offset: Option<u64>,
}

impl DataRow for SiteRow {
    type Common = RankOfRows;
    const TABLE: &'static str = "sites";
    const MEANING: &'static str = "A place in a rank's program that MPI was called from.";

    fn columns() -> Vec<Column<SiteRow, RankOfRows>> {
        let mut columns = rank_columns();
        columns.extend([
            Shared::id("site", |row: &SiteRow, _| row.site).means("the rank's number of it"),
            Shared::text("call_site", |row: &SiteRow, _| row.call_site.clone()).means("in words, as `report` names it"),
            Shared::text("caller", |row: &SiteRow, _| row.caller.clone())
                .means("function of the program that it lies in"),
            Shared::text("file", |row: &SiteRow, _| row.file.clone()).means("source file, without its folders"),
            Shared::id("line", |row: &SiteRow, _| row.line).means("line of the source file"),
            Shared::text("module", |row: &SiteRow, _| row.module.clone())
                .means("path of the program or library that it lies in"),
            Shared::count("offset", |row: &SiteRow, _| row.offset)
                .means("the return address, in bytes from the module's begin"),
        ]);
        columns
    }
}

pub fn site_rows(set: &DataSet<'_>, at: usize) -> Vec<SiteRow> {
    let (rank, sites) = (&set.run.ranks[at], &set.run.sites);
    let row = |site: u32| {
        let known = sites.innermost(rank, site);
        let of_module = rank.sites.get(&site);
        SiteRow {
            site,
            call_site: sites.place(rank, site),
            caller: known.map(|(function, ..)| function.to_string()),
            file: known.map(|(_, file, _)| file.to_string()).filter(|file| !file.is_empty()),
            line: known.map(|(.., line)| line).filter(|line| *line > 0),
            module: of_module.and_then(|site| Some(rank.modules.get(&site.module)?.path.clone())),
            offset: of_module.map(|site| site.offset),
        }
    };
    rank.calling_sites().into_iter().map(row).collect()
}

/// A function on the path to a call site.
pub struct PathRow {
    site: u32,
    depth: u32,
    function: String,
    file: Option<String>,
    calls_at: Option<String>,
}

impl DataRow for PathRow {
    type Common = RankOfRows;
    const TABLE: &'static str = "paths";
    const MEANING: &'static str = "A function of the program on the path to a call site or sample, the inlined ones among them; none where no paths were recorded.";

    fn columns() -> Vec<Column<PathRow, RankOfRows>> {
        let mut columns = rank_columns();
        columns.extend([
            Shared::id("site", |row: &PathRow, _| row.site).means("key into `sites` or `samples`, with rank and world"),
            Shared::id("depth", |row: &PathRow, _| row.depth)
                .means("how many functions are around it, 0 for the outermost"),
            Shared::text("function", |row: &PathRow, _| row.function.clone())
                .means("the function; ? where its callers are unknown, ... where they were too many to record"),
            Shared::text("file", |row: &PathRow, _| row.file.clone()).means("its source file"),
            Shared::text("calls_at", |row: &PathRow, _| row.calls_at.clone())
                .means("where it calls the next function, or MPI"),
        ]);
        columns
    }
}

pub fn path_rows(set: &DataSet<'_>, at: usize) -> Vec<PathRow> {
    let rank = &set.run.ranks[at];
    if rank.callers.is_empty() {
        return Vec::new();
    }
    let tree = CallTree::of(&set.run.sites, std::slice::from_ref(rank));
    let some = |text: &str| Some(text.to_string()).filter(|text| !text.is_empty());
    let mut rows = Vec::new();
    let sites: BTreeSet<u32> = rank.calling_sites().into_iter().chain(rank.samples.sites.iter().copied()).collect();
    for site in sites {
        let Some(place) = tree.place(0, site) else { continue };
        let (mut calls_at, first) = (place.site.as_str(), rows.len());
        for node in tree.upwards(place.node) {
            let CallNode { depth, function, file, site: called_at, .. } = &tree.nodes[node as usize];
            let (function, file) = (function.clone(), some(file));
            rows.push(PathRow { site, depth: *depth, function, file, calls_at: some(calls_at) });
            calls_at = called_at;
        }
        rows[first..].reverse();
    }
    rows
}

/// A rank's part in a communicator, window or file.
pub struct CommunicatorRow {
    communicator: Option<u32>,
    own: u32,
    kind: &'static str,
    name: String,
    size: Option<u64>,
    own_rank: Option<u32>,
    is_inter: bool,
    parent: Option<u32>,
}

impl DataRow for CommunicatorRow {
    type Common = RankOfRows;
    const TABLE: &'static str = "communicators";
    const MEANING: &'static str = "A communicator, window or file that a rank has a part in.";

    fn columns() -> Vec<Column<CommunicatorRow, RankOfRows>> {
        type Row = CommunicatorRow;
        let mut columns = rank_columns();
        columns.extend([
            Shared::id("communicator", |row: &Row, _| row.communicator)
                .means("its number, the same for all its ranks; null where its processes are not known"),
            Shared::id("own_number", |row: &Row, _| row.own).means("the number that this rank's file has for it"),
            Shared::text("kind", |row: &Row, _| row.kind.to_string()).means("communicator, window or file"),
            Shared::text("name", |row: &Row, _| row.name.clone()).means("its name, empty where it has none"),
            Shared::count("size", |row: &Row, _| row.size)
                .means("how many processes have a part in it, both groups of an intercommunicator"),
            Shared::id("own_rank", |row: &Row, _| row.own_rank).means("this rank's number in it"),
            Shared::flag("inter", |row: &Row, _| row.is_inter).means("it is an intercommunicator"),
            Shared::id("parent", |row: &Row, _| row.parent).means("the communicator it was made from"),
        ]);
        columns
    }
}

pub fn communicator_rows(set: &DataSet<'_>, at: usize) -> Vec<CommunicatorRow> {
    let rank = &set.run.ranks[at];
    let mut own: Vec<u32> = rank.communicators.keys().chain(rank.objects.keys()).copied().collect();
    own.sort_unstable();
    own.dedup();
    let row = |own: u32| {
        let communicator = rank.communicators.get(&own);
        let number = set.objects.number(at, own);
        let group = number.map(|number| &set.objects.groups[number as usize]);
        let kind = match rank.objects.get(&own).map(|object| object.kind) {
            None => "communicator",
            Some(ObjectKind::Window) => "window",
            Some(ObjectKind::File) => "file",
        };
        CommunicatorRow {
            communicator: number,
            own,
            kind,
            name: communicator.map(|communicator| communicator.name.clone()).unwrap_or_default(),
            size: group.map(|group| group.size()),
            own_rank: group.and_then(|group| group.own(at)),
            is_inter: communicator.is_some_and(|communicator| communicator.inter),
            parent: rank.origins.get(&own).and_then(|origin| set.objects.number(at, origin.parent)),
        }
    };
    own.into_iter().map(row).collect()
}

impl DataRow for HostRow {
    type Common = RankOfRows;
    const TABLE: &'static str = <HostRow as Row>::TABLE;
    const MEANING: &'static str = "A host that ranks ran on. Null is unknown.";

    fn columns() -> Vec<Column<HostRow, RankOfRows>> {
        <HostRow as Row>::columns().into_iter().map(Column::beside_shared).collect()
    }
}

/// All hosts, returned with the first selected rank only.
pub fn host_rows(set: &DataSet<'_>, at: usize) -> Vec<HostRow> {
    match set.asked().next() {
        Some(first) if first == at => metrics::hosts::rows(set.run),
        _ => Vec::new(),
    }
}
