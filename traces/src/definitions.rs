//! Definitions: data without a fixed size that a file holds once. They are in bincode's wire format, written and read
//! by `wincode`.
//!
//! A definitions page holds items one after another: a `u32` length, a `u32` zero, the bytes, and zeros up to a
//! multiple of eight. A length of zero ends the page. The length is written last.

use wincode::{SchemaRead, SchemaWrite};

pub use crate::counters::{AskedEvent, CounterReading, CounterValue};
pub use crate::layout::{CallLayout, Datatype, Elements};
pub use crate::machine::{Counters, HostTime, Machine, Throttling, Usage, UsageMoment};
pub use crate::span::Span;
pub use crate::variables::{Variable, variables_of, variables_text};

/// Something that a trace refers to by a number, or holds once.
///
/// The order of the variants is on disk: append only. Readers skip unknown variants.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub enum Definition {
    /// The process that was recorded. Known before MPI is initialized.
    Process(Process),
    /// The MPI library of the process.
    Library(Library),
    /// A loaded program or shared library that MPI was called from.
    Module(Module),
    /// A place in a module that MPI was called from.
    Site(Site),
    /// A communicator.
    Communicator(Communicator),
    /// A window or file.
    Object(Object),
    /// The filter that the recording used, as the user wrote it.
    Filter(String),
    /// A warning for readers of reports: something that the recorder could not do, and why.
    Warning(String),
    /// A part of the progress engine that is intercepted.
    Component(Component),
    /// The recorded depth of the progress engine: [`Depth`](crate::progress::Depth).
    Progress(u32),
    /// The members of a communicator.
    Members(Members),
    /// The communicator that a communicator, window or file was made from.
    Origin(Origin),
    /// This process's clock read against another's.
    Sync(Sync),
    /// Another process has the same ticks, as the comparison of clocks showed.
    SameClock(SameClock),
    /// The members of a group.
    Group(Group),
    /// A process's neighbors in a communicator's topology.
    Neighbors(Neighbors),
    /// A language that the program called MPI from.
    Language(Language),
    /// The place of a call site in the program's source, if the program's own runtime knows it.
    Place(SourcePlace),
    /// A region: a part of the run that the program has named.
    Region(Region),
    /// The ranks of `MPI_COMM_WORLD` that record together, if others are not recorded or not known to be.
    Recorded(Vec<Span>),
    /// The test by which the recorder asks MPI at each call if pending requests are complete.
    Asked(CompletionTest),
    /// The bytes that calls with some signature hand to each process.
    Parts(Parts),
    /// The host's cores.
    Machine(Machine),
    /// The use of the machine by the process, or by one of its threads, until a moment.
    Usage(Usage),
    /// The caller of a call site.
    Caller(Caller),
    /// The processor time of a thread from one sample to the next, in nanoseconds. Without it, nothing was sampled.
    SamplingPeriod(u64),
    /// The recorder's steps when MPI was initialized or finalized.
    Steps(Vec<Step>),
    /// Environment variables that set up the MPI library, its network or threads, each as `NAME=VALUE`.
    Settings(Vec<String>),
    /// A file that the program has accessed.
    AccessedFile(AccessedFile),
    /// What the MPI library was set to when MPI_Init returned, in the library's order, as [`variables_text`] says it; of one process of
    /// the run.
    Variables(String),
    /// How often a control group's quota stopped its processes so far.
    Throttling(Throttling),
    /// A datatype that messages are described by.
    Datatype(Datatype),
    /// The elements that calls with some signature hand out and receive.
    CallLayout(CallLayout),
    /// The events that the user wanted to be counted.
    AskedEvents(Vec<AskedEvent>),
    /// What was counted of them so far.
    CounterReading(CounterReading),
}

/// A file that the program has accessed.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct AccessedFile {
    /// From 1.
    pub number: u32,
    /// Its path from the root, as the program opened it; else what it is, such as `pipe`.
    pub name: String,
}

/// A step of the recorder's own work in a call that starts or ends MPI.
#[derive(Clone, Copy, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Step {
    pub kind: StepKind,
    /// Its time, with waiting for other ranks, in ticks.
    pub ticks: u64,
}

/// The steps, in the order in which they are done. It is on disk: append only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, SchemaRead, SchemaWrite)]
pub enum StepKind {
    /// Making the file, before MPI is initialized.
    Begin,
    /// Learning about the library, its objects and its progress engine.
    Learn,
    /// Finding the ranks that are recorded.
    FindRanks,
    /// Agreeing on the run's folder.
    Agree,
    /// Comparing clocks after MPI was initialized.
    ClocksAtInit,
    /// Measuring the cost of a recorded call.
    Rehearse,
    /// Reading the machine and the use of it.
    ReadMachine,
    /// Moving the file to its place.
    MoveIn,
    /// Comparing clocks before MPI is finalized.
    ClocksAtFinalize,
}

/// A test that asks MPI, without causing progress, if a request is complete. The order is on disk: append only.
#[derive(Clone, Copy, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub enum CompletionTest {
    /// A function for that purpose.
    Function,
    /// A word of the request.
    Word,
}

/// The parts that a call hands to different processes, by rank in the communicator, or in the order of the neighbors
/// that it sends to.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Parts {
    /// The number that signatures refer to, from 1.
    pub number: u32,
    /// The parts in order.
    pub runs: Vec<EqualParts>,
}

/// Parts of one size, one after another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct EqualParts {
    /// Bytes of each part.
    pub bytes: u64,
    pub count: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, SchemaRead, SchemaWrite)]
pub struct Process {
    pub host: String,
    /// Identifies a boot of the host. Processes with the same value share the host's clocks.
    pub boot: String,
    /// Path of the executable.
    pub program: String,
    /// Its arguments, the program's name first.
    pub arguments: Vec<String>,
    /// The working directory.
    pub directory: String,
    /// The recorder's version.
    pub recorder: String,
}

/// The MPI library of a process.
#[derive(Clone, PartialEq, Eq, Debug, Default, SchemaRead, SchemaWrite)]
pub struct Library {
    /// The text of `MPI_Get_library_version`.
    pub version: String,
    /// Path of the shared library that defines `PMPI_Init`.
    pub path: String,
}

#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Module {
    /// Numbered from 1.
    pub number: u32,
    pub path: String,
    /// The linker's build id; empty if there is none.
    pub build_id: Vec<u8>,
}

/// A call site: the address in the program that MPI returns to, or that a function returns to on the path to such a call or to a sample.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Site {
    /// Numbered from 1.
    pub number: u32,
    /// The module's number; 0 if the address lies in none.
    pub module: u32,
    /// The return address, relative to the module's load address; absolute without a module. Of a sample's innermost site, the
    /// address of the instruction plus one, so that one byte before lies in the code that ran. It has no meaning if a
    /// [`SourcePlace`] describes the site.
    pub offset: u64,
}

/// The caller of a call site: the tree of call paths. A place that is reached by several paths has a number for each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Caller {
    /// The number of the call site.
    pub site: u32,
    pub caller: CalledFrom,
}

/// The caller of the function that a call site lies in. The order is on disk: append only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, SchemaRead, SchemaWrite)]
pub enum CalledFrom {
    /// The site of this number.
    Site(u32),
    /// Nothing: the program or the thread begins here.
    Start,
    /// Unknown, since the code has no usable unwind information.
    NoUnwindInformation,
    /// Unknown, since the path is longer than the user wanted it.
    Limit,
}

/// A communicator, as one process knows it.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Communicator {
    /// The number that signatures refer to. 1 is `MPI_COMM_WORLD`, 2 `MPI_COMM_SELF`.
    pub number: u32,
    /// The process's rank in it.
    pub rank: i32,
    /// The number of processes; for an intercommunicator, of the remote group.
    pub size: u32,
    /// True if it is an intercommunicator.
    pub inter: bool,
    /// The name. If the program renames a communicator, it is defined again.
    pub name: String,
}

/// The processes of a communicator, by their ranks in the process's `MPI_COMM_WORLD`.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Members {
    /// The communicator's number.
    pub communicator: u32,
    /// The members of the communicator's group, in order.
    pub local: Vec<Span>,
    /// The members of an intercommunicator's remote group.
    pub remote: Vec<Span>,
}

/// The processes of a group that a window was opened to, by their ranks in the process's `MPI_COMM_WORLD`.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Group {
    /// The number that signatures refer to, from 1.
    pub number: u32,
    pub members: Vec<Span>,
}

/// A process's neighbors in a communicator's topology, by their ranks in the process's `MPI_COMM_WORLD`, in the order
/// of the buffers of neighborhood collectives.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Neighbors {
    /// The communicator's number.
    pub communicator: u32,
    /// The neighbors that the process receives from.
    pub sources: Vec<Span>,
    /// The neighbors that the process sends to.
    pub destinations: Vec<Span>,
}

/// The interface to MPI that a program uses. The order is on disk: append only.
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
    pub fn name(self) -> &'static str {
        match self {
            Language::C => "C",
            Language::Fortran => "Fortran",
            Language::Fortran2008 => "Fortran 2008",
            Language::Python => "Python",
        }
    }
}

/// The source of a call site, as the program's own runtime reports it. Python's does.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct SourcePlace {
    /// The call site's number.
    pub site: u32,
    pub file: String,
    /// The line; 0 if it is unknown.
    pub line: u32,
    /// The function that contains the line.
    pub function: String,
}

/// A part of the run that the program has named.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Region {
    /// Numbered from 1.
    pub number: u32,
    pub name: String,
}

/// The origin of an object, by which readers recognize that several processes have the same object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Origin {
    /// The object's number.
    pub number: u32,
    /// The number of the communicator it was made from.
    pub parent: u32,
    /// The number of earlier calls that made objects from the parent and in which all its processes took part;
    /// `u32::MAX` if only the processes of the new object took part in the call.
    pub ordinal: u32,
}

/// Two processes' ticks read against each other: the fastest of all exchanges of messages there and back (Hoefler,
/// Schneider, Lumsdaine 2008, section 2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Sync {
    /// The occasion of the comparison.
    pub when: Occasion,
    /// The other process's rank in `MPI_COMM_WORLD`.
    pub peer: u32,
    /// This process's ticks before the message left.
    pub before: u64,
    /// The other process's ticks when it arrived.
    pub there: u64,
    /// This process's ticks when the answer arrived.
    pub after: u64,
    /// The number of exchanges.
    pub exchanges: u32,
}

/// This process's ticks equal another's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct SameClock {
    /// The occasion of the comparison.
    pub when: Occasion,
    /// The other process's rank in `MPI_COMM_WORLD`.
    pub peer: u32,
    /// The most ticks by which the two may differ, as far as the comparison shows.
    pub within: u64,
}

/// The occasions on which clocks are compared. The order is on disk: append only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, SchemaRead, SchemaWrite)]
pub enum Occasion {
    /// Right after MPI is initialized.
    Init,
    /// Right before MPI is finalized.
    Finalize,
}

/// A window or file.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Object {
    /// The number that signatures refer to, from the same sequence as communicators.
    pub number: u32,
    pub kind: ObjectKind,
}

/// The kind of an [`Object`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub enum ObjectKind {
    /// A window for one-sided communication.
    Window,
    File,
}

/// A part of the progress engine, or something that it calls.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Component {
    /// The index of its line in every thread's ledger.
    pub number: u32,
    /// The way in which it is intercepted.
    pub way: Interception,
    pub name: String,
}

impl StepKind {
    pub const ALL: [StepKind; 9] = [
        StepKind::Begin,
        StepKind::Learn,
        StepKind::FindRanks,
        StepKind::Agree,
        StepKind::ClocksAtInit,
        StepKind::Rehearse,
        StepKind::ReadMachine,
        StepKind::MoveIn,
        StepKind::ClocksAtFinalize,
    ];

    /// The step in words that follow "to".
    pub fn in_words(self) -> &'static str {
        match self {
            StepKind::Begin => "make the file",
            StepKind::Learn => "learn about MPI",
            StepKind::FindRanks => "find the recorded ranks",
            StepKind::Agree => "agree on the folder",
            StepKind::ClocksAtInit | StepKind::ClocksAtFinalize => "compare clocks",
            StepKind::Rehearse => "measure the cost of recording",
            StepKind::ReadMachine => "read the machine",
            StepKind::MoveIn => "move the file into the folder",
        }
    }
}

/// The way in which a part of the progress engine is intercepted. The order is on disk: append only.
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
    /// The library's name and version: `Open MPI 4.1.4`.
    pub fn name(&self) -> String {
        // If several names fit, the later one in the list counts: Intel's library says that it is based on MPICH.
        let names = ["MPICH", "Cray MPICH", "MVAPICH", "Intel(R) MPI", "Open MPI"];
        let name = names.iter().rev().find(|name| self.version.contains(*name)).copied().unwrap_or("MPI");
        let first = self.version.lines().next().unwrap_or_default();
        let words = first.split([',', ' ', '\t', ':']).map(|word| word.trim_start_matches('v'));
        let number = words.into_iter().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        format!("{} {}", name.replace("(R)", ""), number.unwrap_or("of unknown version"))
    }
}

/// Bytes before the content of an item.
pub const PREFIX: usize = 8;

impl Definition {
    /// The item's bytes, without prefix and padding.
    pub fn to_bytes(&self) -> Result<Vec<u8>, wincode::WriteError> {
        wincode::serialize(self)
    }

    /// Writes the item's bytes into this room. Returns their number.
    pub fn write_into(&self, room: &mut [u8]) -> Result<usize, wincode::WriteError> {
        let bytes = room.len();
        let mut rest = room;
        wincode::serialize_into(&mut rest, self)?;
        Ok(bytes - rest.len())
    }

    /// The definition in an item's bytes; `None` for a variant of a later version, and for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Definition> {
        let definition = wincode::deserialize(bytes).ok()?;
        match &definition {
            // Zeros in it are from a file system that lost a piece.
            Definition::Variables(text) if text.contains('\0') => None,
            _ => Some(definition),
        }
    }

    /// True if an item has a variant that this version does not know.
    pub fn is_later(bytes: &[u8]) -> bool {
        bytes.first_chunk().is_some_and(|variant| u32::from_le_bytes(*variant) >= Definition::VARIANTS)
    }

    pub const VARIANTS: u32 = 35;

    /// The space on a page of an item with this many bytes.
    pub const fn padded(bytes: usize) -> usize {
        PREFIX + bytes.next_multiple_of(8)
    }
}
