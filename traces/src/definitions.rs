//! Definitions: what has no fixed size and is said once. bincode's wire format, written and read by `wincode`.
//!
//! A definitions page holds items one after another: a `u32` length, a `u32` zero, the bytes, zeros up to a
//! multiple of eight. A length of zero ends the page. The length is written last.

use wincode::{SchemaRead, SchemaWrite};

/// Something a trace refers to by a number, or says once.
///
/// The order of the variants is on disk: append only. A reader skips those it does not know.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub enum Definition {
    /// The process that was recorded. Known before MPI is initialized.
    Process(Process),
    /// The MPI library under it.
    Library(Library),
    /// A loaded program or shared library that MPI was called from.
    Module(Module),
    /// A place in a module that MPI was called from.
    Site(Site),
    /// A communicator.
    Communicator(Communicator),
    /// A window or file.
    Object(Object),
    /// What the recording left out, in the words of the filter.
    Filter(String),
    /// Something the reader of a report is owed: what the recorder could not do, and why.
    Warning(String),
    /// A part of the progress engine that is listened to.
    Component(Component),
    /// How much is recorded of the progress engine: [`Depth`](crate::progress::Depth).
    Progress(u32),
    /// Who is in a communicator.
    Members(Members),
    /// What a communicator, window or file was made from.
    Origin(Origin),
    /// This process's clock read against another's.
    Sync(Sync),
    /// This process's ticks are another's, as was found when clocks were compared.
    SameClock(SameClock),
    /// Who is in a group.
    Group(Group),
    /// A process's neighbors in a communicator's topology.
    Neighbors(Neighbors),
    /// A language that the program called MPI from.
    Language(Language),
    /// Where a call site lies in the program's source, of programs whose own runtime knows it.
    Place(SourcePlace),
    /// A part of its run that the program has given a name.
    Region(Region),
    /// The ranks of `MPI_COMM_WORLD` that record together, where others of it are not recorded, or not known to be: in steps
    /// of 1.
    Recorded(Vec<Span>),
    /// MPI is asked at each call whether pending requests are complete.
    Asked(CompletionTest),
    /// What calls of some signatures hand to each process.
    Parts(Parts),
}

/// How MPI is asked whether a request is complete, without progress. The order is on disk: append only.
#[derive(Clone, Copy, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub enum CompletionTest {
    /// By a function of its own.
    Function,
    /// By a word of the request.
    Word,
}

/// What a call that hands each process a part of its own hands to which: by rank in the communicator, or in the order of the
/// neighbors it sends to.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Parts {
    /// The number signatures use, from 1.
    pub number: u32,
    /// The parts in order.
    pub runs: Vec<EqualParts>,
}

/// Parts of one size, one after another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct EqualParts {
    /// The bytes of each.
    pub bytes: u64,
    /// How many there are.
    pub count: u32,
}

/// The process that was recorded.
#[derive(Clone, PartialEq, Eq, Debug, Default, SchemaRead, SchemaWrite)]
pub struct Process {
    /// The host's name.
    pub host: String,
    /// Identifies the host's boot: processes that share it share its clocks.
    pub boot: String,
    /// Path of the executable.
    pub program: String,
    /// Its arguments, the program's name first.
    pub arguments: Vec<String>,
    /// Where it ran.
    pub directory: String,
    /// The recorder's version.
    pub recorder: String,
}

/// The MPI library under a process.
#[derive(Clone, PartialEq, Eq, Debug, Default, SchemaRead, SchemaWrite)]
pub struct Library {
    /// What `MPI_Get_library_version` says.
    pub version: String,
    /// Path of the shared library that defines `PMPI_Init`.
    pub path: String,
}

/// A loaded program or shared library.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Module {
    /// Numbered from 1.
    pub number: u32,
    /// Its path.
    pub path: String,
    /// The linker's build id, empty where it has none.
    pub build_id: Vec<u8>,
}

/// A call site: where MPI returns to in the program.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Site {
    /// Numbered from 1.
    pub number: u32,
    /// The module's number, 0 where the address lies in none.
    pub module: u32,
    /// The return address, counted from the module's load address; absolute where there is no module, and without meaning
    /// where a [`SourcePlace`] says what it stands for.
    pub offset: u64,
}

/// A communicator, as one process knows it.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Communicator {
    /// The number signatures use. 1 is `MPI_COMM_WORLD`, 2 `MPI_COMM_SELF`.
    pub number: u32,
    /// The process's rank in it.
    pub rank: i32,
    /// Processes in it; in the remote group of an intercommunicator.
    pub size: u32,
    /// Whether it is an intercommunicator.
    pub inter: bool,
    /// Its name; where it was given another, the communicator is defined again.
    pub name: String,
}

/// The processes of a communicator, by their ranks in the process's `MPI_COMM_WORLD`.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Members {
    /// The communicator's number.
    pub communicator: u32,
    /// Those of its group, in order.
    pub local: Vec<Span>,
    /// Those of the remote group of an intercommunicator.
    pub remote: Vec<Span>,
}

/// The processes of a group that a window was opened to, by their ranks in the process's `MPI_COMM_WORLD`.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Group {
    /// The number signatures use, from 1.
    pub number: u32,
    /// The processes, in order.
    pub members: Vec<Span>,
}

/// A process's neighbors in a communicator's topology, by their ranks in the process's `MPI_COMM_WORLD`, in the order of the
/// buffers of neighborhood collectives.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Neighbors {
    /// The communicator's number.
    pub communicator: u32,
    /// Those it receives from.
    pub sources: Vec<Span>,
    /// Those it sends to.
    pub destinations: Vec<Span>,
}

/// Whose interface to MPI a program has used. The order is on disk: append only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, SchemaRead, SchemaWrite)]
pub enum Language {
    /// The C interface, which C++, Rust and most other languages use.
    C,
    /// `mpif.h` or `use mpi`.
    Fortran,
    /// `use mpi_f08`.
    Fortran2008,
    /// mpi4py.
    Python,
}

impl Language {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Language::C => "C",
            Language::Fortran => "Fortran",
            Language::Fortran2008 => "Fortran 2008",
            Language::Python => "Python",
        }
    }
}

/// A call site by what the program's own runtime says of it, as Python's does.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct SourcePlace {
    /// The call site's number.
    pub site: u32,
    /// The source file.
    pub file: String,
    /// The line, 0 where it is not known.
    pub line: u32,
    /// The function that the line is in.
    pub function: String,
}

/// A part of its run that the program has given a name.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Region {
    /// Numbered from 1.
    pub number: u32,
    /// Its name.
    pub name: String,
}

/// Ranks in even steps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, SchemaRead, SchemaWrite)]
pub struct Span {
    /// The first; negative for processes of another world.
    pub first: i32,
    /// How many.
    pub count: u32,
    /// From each to the next.
    pub step: i32,
}

impl Span {
    /// Ranks as spans.
    pub fn all(ranks: &[i32]) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        for rank in ranks {
            match spans.last_mut() {
                Some(span) if span.count == 1 => (span.step, span.count) = (rank.wrapping_sub(span.first), 2),
                Some(span) if span.rank_at(span.count) == Some(*rank) => span.count += 1,
                _ => spans.push(Span { first: *rank, count: 1, step: 0 }),
            }
        }
        spans
    }

    /// The rank at a place of several spans.
    pub fn rank(spans: &[Span], mut place: u32) -> Option<i32> {
        for span in spans {
            if place < span.count {
                return span.rank_at(place);
            }
            place -= span.count;
        }
        None
    }

    /// The place of a rank in it.
    pub fn place(&self, rank: i32) -> Option<u32> {
        let (from_first, step) = (i64::from(rank) - i64::from(self.first), i64::from(self.step));
        let place = match step {
            0 => (from_first == 0).then_some(0)?,
            step => (from_first % step == 0).then_some(from_first / step)?,
        };
        u32::try_from(place).ok().filter(|place| *place < self.count)
    }

    /// The rank at a place of it.
    pub fn rank_at(&self, place: u32) -> Option<i32> {
        self.first.checked_add(self.step.checked_mul(i32::try_from(place).ok()?)?)
    }
}

/// How an object came about, so that it can be told to be the same on all its processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Origin {
    /// The object's number.
    pub number: u32,
    /// The number of the communicator it was made from.
    pub parent: u32,
    /// How many calls have made objects from that one before, and all its processes took part in them; `u32::MAX` where
    /// only the new object's own processes took part in the call.
    pub ordinal: u32,
}

/// Two processes' ticks read against each other: of all messages that went there and back, those that took the least time
/// (Hoefler, Schneider, Lumsdaine 2008, section 2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Sync {
    /// On what occasion.
    pub when: Occasion,
    /// The other's rank in `MPI_COMM_WORLD`.
    pub peer: u32,
    /// This process's ticks before the message left.
    pub before: u64,
    /// The other's when it was there.
    pub there: u64,
    /// This process's when the answer came.
    pub after: u64,
    /// How many were exchanged.
    pub exchanges: u32,
}

/// This process's ticks and another's are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct SameClock {
    /// On what occasion that was found.
    pub when: Occasion,
    /// The other's rank in `MPI_COMM_WORLD`.
    pub peer: u32,
    /// By how many ticks the two may differ, by what was compared.
    pub within: u64,
}

/// When clocks are compared. The order is on disk: append only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, SchemaRead, SchemaWrite)]
pub enum Occasion {
    /// MPI was just initialized.
    Init,
    /// MPI is about to be finalized.
    Finalize,
}

/// A window or file.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Object {
    /// The number signatures use, from the same sequence as the communicators'.
    pub number: u32,
    /// What it is.
    pub kind: ObjectKind,
}

/// What an [`Object`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub enum ObjectKind {
    /// A window for one-sided communication.
    Window,
    /// A file.
    File,
}

/// A part of the progress engine, or something it calls.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Component {
    /// Its line in every thread's ledger.
    pub number: u32,
    /// How it is listened to.
    pub way: Interception,
    /// Its name.
    pub name: String,
}

/// How a part of the progress engine is listened to. The order is on disk: append only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, SchemaRead, SchemaWrite)]
pub enum Interception {
    /// `opal_progress`, Open MPI's engine.
    Opal,
    /// A callback that a component of Open MPI has registered with it.
    OpalCallback,
    /// `ucp_worker_progress` of UCX.
    Ucx,
    /// Reads of a completion queue of libfabric.
    Libfabric,
    /// System calls that wait for descriptors to be ready.
    Ready,
    /// System calls that receive from sockets.
    Receive,
    /// System calls that send to sockets.
    Send,
    /// Intel MPI's own count of idle turns.
    Idle,
}

impl Library {
    /// The library by name and number: `Open MPI 4.1.4`.
    pub fn name(&self) -> String {
        // The longest of several that fit: Intel's says of itself that it is based on MPICH.
        let names = ["MPICH", "Cray MPICH", "MVAPICH", "Intel(R) MPI", "Open MPI"];
        let name = names.iter().rev().find(|name| self.version.contains(*name)).copied().unwrap_or("MPI");
        let first = self.version.lines().next().unwrap_or_default();
        let words = first.split([',', ' ', '\t', ':']).map(|word| word.trim_start_matches('v'));
        let number = words.into_iter().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        format!("{} {}", name.replace("(R)", ""), number.unwrap_or("of unknown version"))
    }
}

/// Bytes in front of an item.
pub const PREFIX: usize = 8;

impl Definition {
    /// The item's bytes, without prefix and padding.
    pub fn to_bytes(&self) -> Result<Vec<u8>, wincode::WriteError> {
        wincode::serialize(self)
    }

    /// Back from the item's bytes; `None` for a variant of a later version, or bytes that are none.
    pub fn from_bytes(bytes: &[u8]) -> Option<Definition> {
        wincode::deserialize(bytes).ok()
    }

    /// Whether an item is of a variant that this version does not have.
    pub fn is_later(bytes: &[u8]) -> bool {
        bytes.first_chunk().is_some_and(|variant| u32::from_le_bytes(*variant) >= Definition::VARIANTS)
    }

    /// How many variants there are.
    pub const VARIANTS: u32 = 22;

    /// Bytes an item of this many takes on a page.
    pub const fn padded(bytes: usize) -> usize {
        PREFIX + bytes.next_multiple_of(8)
    }
}
