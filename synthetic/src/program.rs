//! The program that ranks run: the calls of each rank, and the definitions in its file.

use traces::calls::Call;
use traces::clock::{ClockKind, ClockSample};
use traces::definitions::{
    CalledFrom, Caller, Communicator, Definition, Library, Members, Module, Occasion, Origin, Process, SameClock, Site,
    Span,
};
use traces::file::{Abi, FileHeader, INITIALIZED, Mode};
use traces::signature::{STARTS, Signature, peer, tag};
use traces::write::blank_header;

use super::cluster::Cluster;
use super::shape::{Shape, Topology};

/// Bytes of a halo in small and in large steps. Sends of small halos are complete at once.
pub const HALO: [u64; 2] = [4 << 10, 32 << 10];
/// Bytes from one rank of a pair to the other.
pub const PAIR: u64 = 1 << 10;
/// The tag of these messages.
pub const PAIR_TAG: i32 = 9;
const REDUCED: u64 = 8;
const BROADCAST: u64 = 2 << 10;

/// Directions of a torus. A message's tag is its direction; the opposite direction differs in the last bit.
pub const DIRECTIONS: usize = 4;

const WORLD: u32 = 1;
const SELF: u32 = 2;
const ROWS: u32 = 3;
const COLUMNS: u32 = 4;

/// The number of call sites, which follow each other in one module.
const SITES: u32 = 13;
/// Functions of the program that call its communication layer, in turn.
pub const CALLERS: [&str; 5] = ["predictor", "corrector", "pressure", "transport", "checkpoint"];
const RUN: [u8; 16] = *b"synthetic run   ";
const HOST: &str = "synthetic";
const BOOT: &str = "00000000-0000-4000-8000-000000000000";
const PATH: &str = "/opt/synthetic/halo";
/// Start of the recording, in ticks.
pub const BEGIN: u64 = 1_000_000_000;
/// The wall clock at tick 0, so that recording begins at 2026-01-01.
const WALL: u64 = 1_767_225_600_000_000_000 - BEGIN;
const FREQUENCY: u64 = 1_000_000_000;

/// Ranks in rows and columns, as square as their number allows.
#[derive(Clone, Copy)]
pub struct Grid {
    pub ranks: u32,
    pub columns: u32,
    topology: Topology,
}

impl Grid {
    pub fn of(shape: &Shape) -> Grid {
        let ranks = shape.ranks.max(1);
        let rows = (1..=ranks.isqrt()).rev().find(|rows| ranks.is_multiple_of(*rows)).unwrap_or(1);
        Grid { ranks, columns: ranks / rows, topology: shape.topology }
    }

    /// The number of directions in which each rank exchanges halos.
    pub fn directions(&self) -> usize {
        match self.topology {
            Topology::Ring => 2,
            Topology::Torus => DIRECTIONS,
        }
    }

    pub fn next(&self, rank: u32, direction: usize) -> u32 {
        let (columns, ranks) = (self.columns, self.ranks);
        let (column, row) = (rank % columns, rank - rank % columns);
        match (self.topology, direction) {
            (Topology::Ring, 0) => (rank + 1) % ranks,
            (Topology::Ring, _) => (rank + ranks - 1) % ranks,
            (Topology::Torus, 0) => row + (column + 1) % columns,
            (Topology::Torus, 1) => row + (column + columns - 1) % columns,
            (Topology::Torus, 2) => (rank + columns) % ranks,
            (Topology::Torus, _) => (rank + ranks - columns) % ranks,
        }
    }

    /// The rank that a message in this direction comes from.
    pub fn source(&self, rank: u32, direction: usize) -> u32 {
        self.next(rank, direction ^ 1)
    }

    /// The other rank of a rank's pair. The last of an odd number of ranks has none.
    pub fn partner(&self, rank: u32) -> Option<u32> {
        Some(rank ^ 1).filter(|partner| *partner < self.ranks)
    }
}

/// Ways in which the program makes each of its calls several times, in turn.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub enum Repeats {
    #[default]
    No,
    /// All calls go through functions around MPI's, which each of [`CALLERS`] calls.
    ByPath,
    /// Each call is made at so many lines.
    AtLines(u32),
}

/// One rank's program: the number of the signature of each of its calls.
#[derive(Default)]
pub struct RankProgram {
    pub definitions: Vec<Definition>,
    /// The signatures, in the order of their numbers.
    pub signatures: Vec<Signature>,
    pub init: u32,
    /// MPI_Comm_split into rows, and into columns.
    pub split: [u32; 2],
    /// MPI_Irecv, by size and direction.
    pub receive_halo: [[u32; DIRECTIONS]; 2],
    /// MPI_Irecv for the first direction from any source, by size.
    pub receive_any_halo: [u32; 2],
    /// MPI_Isend, by size and direction; the next number if the request is complete at once.
    pub send_halo: [[u32; DIRECTIONS]; 2],
    pub wait: u32,
    /// MPI_Send; 0 for a rank without a partner, as the next two are.
    pub send: u32,
    /// MPI_Recv from that partner.
    pub receive: u32,
    /// MPI_Recv from any source.
    pub receive_any: u32,
    pub reduce: u32,
    pub broadcast: u32,
    /// MPI_Barrier of the row, and of the column.
    pub barrier: [u32; 2],
    pub finalize: u32,
    /// MPI_Iprobe; 0 for ranks that do not poll.
    pub poll: u32,
    /// Signatures of one path.
    pub numbers: u32,
    /// Paths by which each call site is called in turn; 1 if none are written.
    pub paths: u32,
    next: u32,
}

impl RankProgram {
    /// The program of a rank, which calls MPI by one path.
    fn plain(rank: u32, grid: &Grid, cluster: Option<&Cluster>) -> RankProgram {
        let definitions = definitions(rank, grid, cluster);
        let mut program = RankProgram { definitions, next: 1, ..RankProgram::default() };
        program.init = program.add(blank(Call::Init, 1));
        program.split = [2, 3].map(|site| program.add(Signature { object: WORLD, ..blank(Call::Comm_split, site) }));
        for (size, bytes) in HALO.into_iter().enumerate() {
            for direction in 0..grid.directions() {
                let (to, from) = (grid.next(rank, direction) as i32, grid.source(rank, direction) as i32);
                let halo = Signature { flags: STARTS, object: WORLD, tag: direction as i32, ..blank(Call::Irecv, 4) };
                let receive = Signature { peer: from, received: bytes, ..halo };
                let send = Signature { call: Call::Isend.number(), site: 5, peer: to, sent: bytes, ..halo };
                program.receive_halo[size][direction] = program.add(receive);
                program.send_halo[size][direction] = program.add(send);
                if direction == 0 {
                    program.receive_any_halo[size] = program.add(Signature { peer: peer::ANY, ..receive });
                }
            }
        }
        program.wait = program.add(Signature { requests: 2 * grid.directions() as u32, ..blank(Call::Waitall, 6) });
        if let Some(partner) = grid.partner(rank) {
            let pair = Signature { object: WORLD, peer: partner as i32, tag: PAIR_TAG, ..blank(Call::Send, 7) };
            let receive = Signature { call: Call::Recv.number(), site: 8, received: PAIR, ..pair };
            program.send = program.add(Signature { sent: PAIR, ..pair });
            program.receive = program.add(receive);
            program.receive_any = program.add(Signature { peer: peer::ANY, tag: tag::ANY, ..receive });
        }
        let reduce = Signature { object: WORLD, sent: REDUCED, received: REDUCED, ..blank(Call::Allreduce, 9) };
        program.reduce = program.add(reduce);
        let (sent, received) = if rank == 0 { (BROADCAST, 0) } else { (0, BROADCAST) };
        program.broadcast = program.add(Signature { object: WORLD, peer: 0, sent, received, ..blank(Call::Bcast, 10) });
        let barrier = |object, site| Signature { object, ..blank(Call::Barrier, site) };
        program.barrier = [barrier(ROWS, 11), barrier(COLUMNS, 12)].map(|barrier| program.add(barrier));
        program.finalize = program.add(blank(Call::Finalize, SITES));
        if cluster.is_some_and(|cluster| cluster.polls(rank)) {
            let any = Signature { object: WORLD, peer: peer::ANY, tag: tag::ANY, ..blank(Call::Iprobe, 6) };
            program.poll = program.add(any);
        }
        (program.numbers, program.paths) = (program.next - 1, 1);
        program
    }

    pub fn of(rank: u32, grid: &Grid, cluster: Option<&Cluster>, repeats: Repeats) -> RankProgram {
        let mut program = RankProgram::plain(rank, grid, cluster);
        let paths = match repeats {
            Repeats::No => return program,
            Repeats::ByPath => CALLERS.len() as u32,
            Repeats::AtLines(times) => times.max(1),
        };
        let count = program.numbers;
        program.paths = paths;
        let plain = program.signatures.clone();
        for path in 1..paths {
            let of_path = |signature: &Signature| Signature {
                number: signature.number + path * count,
                site: signature.site + path * SITES,
                ..*signature
            };
            program.signatures.extend(plain.iter().map(of_path));
        }
        if let Repeats::AtLines(_) = repeats {
            for number in SITES + 1..=paths * SITES {
                program.definitions.push(Definition::Site(Site { number, module: 1, offset: offset(number) }));
            }
            return program;
        }
        for path in 0..paths {
            for site in 1..=SITES {
                let number = path * SITES + site;
                if path > 0 {
                    program.definitions.push(Definition::Site(Site { number, module: 1, offset: offset(site) }));
                }
                let caller = CalledFrom::Site(outer(path, 0));
                program.definitions.push(Definition::Caller(Caller { site: number, caller }));
            }
            for (of, caller) in [(0, CalledFrom::Site(outer(path, 1))), (1, CalledFrom::Start)] {
                let (number, offset) = (outer(path, of), offset(outer(path, of)));
                program.definitions.push(Definition::Site(Site { number, module: 1, offset }));
                program.definitions.push(Definition::Caller(Caller { site: number, caller }));
            }
        }
        program
    }

    /// Bytes that a call with this number hands out and gets.
    pub fn bytes(&self, number: u32) -> (u64, u64) {
        // Of a request that is complete at once the number is the signature's next.
        let at = self.signatures.partition_point(|signature| signature.number <= number);
        at.checked_sub(1).map_or((0, 0), |at| self.signatures[at].moves())
    }

    fn add(&mut self, signature: Signature) -> u32 {
        let number = self.next;
        self.next += if signature.flags & STARTS != 0 { 2 } else { 1 };
        self.signatures.push(Signature { number, ..signature });
        number
    }
}

/// The site of a path in one of [`CALLERS`], and in the program's first function.
fn outer(path: u32, of: u32) -> u32 {
    CALLERS.len() as u32 * (SITES + of) + path + 1
}

/// Names of the call sites, as an analysis saves them in a run's folder.
pub fn names() -> String {
    let mut sites = Vec::new();
    let mut add = |site: u32, function: &str, file: &str, line: u32| {
        let frame = format!(r#"{{"function": "{function}", "file": "{file}", "line": {line}}}"#);
        sites.push(format!(r#""{}": [{frame}]"#, offset(site)));
    };
    for site in 1..=SITES {
        add(site, &format!("comm_{site}"), "comm.c", 10 * site);
    }
    for (path, function) in (0..).zip(CALLERS) {
        add(outer(path, 0), function, "solver.c", 100 * (path + 1));
        add(outer(path, 1), "main", "main.c", 20 + path);
    }
    let build_id: String = RUN.iter().map(|byte| format!("{byte:02x}")).collect();
    let module = format!(r#"{{"path": "{PATH}", "build_id": "{build_id}", "sites": {{{}}}}}"#, sites.join(", "));
    format!(r#"{{"schema": "overhear-sites/1", "modules": [{module}]}}"#)
}

fn offset(site: u32) -> u64 {
    0x1000 + 0x20 * u64::from(site)
}

/// The signature of a call at a site, with everything else unknown.
fn blank(call: Call, site: u32) -> Signature {
    Signature { call: call.number(), site, address: 0x40_0000 + offset(site), ..Signature::EMPTY }
}

fn definitions(rank: u32, grid: &Grid, cluster: Option<&Cluster>) -> Vec<Definition> {
    let Grid { ranks, columns, .. } = *grid;
    let (host, boot) = cluster.map_or_else(|| (HOST.into(), BOOT.into()), |cluster| cluster.host(rank));
    let process = Process {
        host,
        boot,
        program: PATH.into(),
        arguments: vec![PATH.into()],
        directory: "/".into(),
        recorder: env!("CARGO_PKG_VERSION").into(),
    };
    let library = Library { version: "Open MPI v5.0.0, synthetic".into(), path: "/opt/synthetic/libmpi.so.40".into() };
    let mut definitions = vec![
        Definition::Process(process),
        Definition::Library(library),
        Definition::Module(Module { number: 1, path: PATH.into(), build_id: RUN.into() }),
    ];
    definitions.extend((1..=SITES).map(|number| Definition::Site(Site { number, module: 1, offset: offset(number) })));
    let (column, row) = (rank % columns, rank / columns);
    let span = |first, count, step| Span { first: first as i32, count, step };
    // The number, the own rank, the members and the name.
    let communicators = [
        (WORLD, rank, span(0, ranks, 1), "MPI_COMM_WORLD"),
        (SELF, 0, span(rank, 1, 0), "MPI_COMM_SELF"),
        (ROWS, column, span(row * columns, columns, 1), "MPI COMMUNICATOR 3 SPLIT FROM 0"),
        (COLUMNS, row, span(column, ranks / columns, columns as i32), "MPI COMMUNICATOR 4 SPLIT FROM 0"),
    ];
    for (number, rank, members, name) in communicators {
        let (rank, size, name) = (rank as i32, members.count, name.into());
        definitions.push(Definition::Communicator(Communicator { number, rank, size, inter: false, name }));
        let (local, remote) = (vec![members], Vec::new());
        definitions.push(Definition::Members(Members { communicator: number, local, remote }));
    }
    let origin = |number, ordinal| Definition::Origin(Origin { number, parent: WORLD, ordinal });
    definitions.extend([origin(ROWS, 0), origin(COLUMNS, 1)]);
    if rank > 0 && cluster.is_none() {
        let same = |when| Definition::SameClock(SameClock { when, peer: 0, within: 0 });
        definitions.extend([Occasion::Init, Occasion::Finalize].map(same));
    }
    definitions
}

/// The header of a rank that was initialized at the tick `ready`.
pub fn header(rank: u32, grid: &Grid, ready: u64, mode: Mode) -> FileHeader {
    FileHeader {
        run: RUN,
        rank,
        size: grid.ranks,
        pid: 1000 + rank,
        abi: Abi::OpenMpi as u16,
        clock: ClockKind::Monotonic as u16,
        mode: mode as u16,
        state: INITIALIZED,
        nominal_frequency: FREQUENCY,
        begin: sample(BEGIN),
        ready: sample(ready),
        ..blank_header()
    }
}

/// All clocks at a tick: they run at the same rate.
pub fn sample(ticks: u64) -> ClockSample {
    ClockSample { ticks, width: 1, monotonic: ticks, realtime: WALL + ticks }
}
