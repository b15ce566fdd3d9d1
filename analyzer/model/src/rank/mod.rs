//! One rank of a run: its file's contents, added up.

mod sketch;
mod times;
mod usage;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use traces::calls::Call;
use traces::definitions::{
    Communicator, Component, Definition, EqualParts, Group, Language, Library, Machine, Members, Module, Neighbors,
    Object, Origin, Process, Region, SameClock, Site, SourcePlace, Span, Sync, Usage,
};
use traces::error::Damage;
use traces::file::{FINALIZED, FileHeader, INITIALIZED, NO_RANK, Stop, ThreadBlock};
use traces::progress::{Depth, Entries, LINES, LedgerLine};
use traces::read::{Contents, OpenCall, RankFile, ReadUntil, Tail, ThreadPages};
use traces::signature::{NESTED, Signature};

use super::clock::Clock;
use super::fate::ProcessFate;
use super::selection::{ALL, Choice, ProfilePart, Selection, Window, is_starting};
use super::sums::Total;
use super::tally::{self, CallTotal, ReadThread, Tally};
pub use sketch::Sketch;
pub use usage::{UsageBetween, cores};

/// See the module.
pub struct Rank {
    /// Name of its file.
    pub file: String,
    /// The file, as it was when it was opened.
    pub trace: Arc<RankFile>,
    /// Length of its file.
    pub bytes: u64,
    /// As it stands in the file.
    pub header: FileHeader,
    /// The process.
    pub process: Process,
    /// The MPI library under it.
    pub library: Library,
    /// Its host's cores; `None` in files of older recorders.
    pub machine: Option<Machine>,
    /// Readings of how much of the machine it has had, in order; none in files of older recorders.
    pub usages: Vec<Usage>,
    /// What the recording left out.
    pub filter: String,
    /// What the recorder could not do.
    pub warnings: Vec<String>,
    /// The ranks that recorded together with it, where these are not all of its world.
    pub recorded: Option<Vec<Span>>,
    /// By number.
    pub communicators: HashMap<u32, Communicator>,
    /// Who is in them, by their numbers.
    pub members: HashMap<u32, Members>,
    /// Groups that windows were opened to, by their numbers.
    pub groups: HashMap<u32, Group>,
    /// Its neighbors in communicators with a topology, by their numbers.
    pub neighbors: HashMap<u32, Neighbors>,
    /// What its calls hand to each process, by the numbers that signatures use.
    pub parts: HashMap<u32, Vec<EqualParts>>,
    /// How communicators, windows and files came about, by their numbers.
    pub origins: HashMap<u32, Origin>,
    /// Its clock against other ranks'.
    pub syncs: Vec<Sync>,
    /// Ranks whose clock is the same.
    pub same_clocks: Vec<SameClock>,
    /// By number.
    pub objects: HashMap<u32, Object>,
    /// By number.
    pub sites: HashMap<u32, Site>,
    /// By number.
    pub modules: HashMap<u32, Module>,
    /// Call sites that the program's own runtime named, by number.
    pub places: HashMap<u32, SourcePlace>,
    /// By number.
    pub regions: HashMap<u32, Region>,
    /// Languages that MPI was called from.
    pub languages: BTreeSet<Language>,
    /// How much was recorded of the progress engine.
    pub progress: Depth,
    /// MPI was asked at each call which requests are complete.
    pub asked: bool,
    /// Its parts that were listened to.
    pub components: Vec<Component>,
    /// What they did, by their numbers, over all threads.
    pub ledger: [LedgerLine; LINES],
    /// Ticks that the recorder took off the straight line of a call, all threads.
    pub off_line: u64,
    /// Those of them that it took while MPI started and ended; 0 if the recorder did not tell them apart.
    pub starting: u64,
    /// Ticks for which it then waited for other ranks' recorders.
    pub met: u64,
    /// Polls in vain that directly followed another one, all threads.
    pub idle_polls: u64,
    /// Its clock.
    pub clock: Clock,
    /// Its threads, in the order they first called MPI.
    pub threads: Vec<ThreadTotals>,
    /// Its calls by function, of threads whose calls had no room elsewhere in the file.
    pub shared: Vec<CallTotal>,
    /// How many threads of the process have no room in the file: they called MPI, or only turned its engine as threads of the library.
    pub roomless: usize,
    /// Whether anything of it is asked about.
    pub is_asked: bool,
    /// Requests that were cancelled, by the thread that began them and their numbers.
    pub cancelled: HashSet<(u32, u64)>,
    /// What of its time counts, where that is not all of it.
    pub selection: Option<Selection>,
    /// It has called MPI_Init, and its program has not gone on since.
    pub is_starting: bool,
    /// What the progress engine did in calls that do not count.
    pub left_out: Entries,
    /// How the recording ended.
    pub end: End,
    /// The last tick that counts: now of a process that runs, else the last sign of life in the file. Calls that have not returned
    /// count until then.
    pub until: u64,
    /// What was read of each thread, by number. Nothing, where no calls were read.
    read: HashMap<u32, ThreadEnd>,
    /// What became of its process.
    pub fate: ProcessFate,
    /// What of the file could not be used.
    pub damage: Vec<Damage>,
}

/// Where the records of a thread end, and what none of them tells yet.
struct ThreadEnd {
    until: ReadUntil,
    tail: Tail,
}

/// One thread of a rank.
pub struct ThreadTotals {
    /// From 0, in the order they first called MPI.
    pub number: u32,
    /// The system's id.
    pub tid: u32,
    /// Its calls by signature.
    pub entries: Vec<CallTotal>,
}

/// How a rank's recording ended.
#[derive(Clone, Debug)]
pub enum End {
    /// MPI was finalized.
    Finalized,
    /// The process ended or was killed outside MPI, `after` seconds into the recording.
    Outside {
        /// When its last call ended.
        after: f64,
        /// That call, if there was one.
        last: Option<Signature>,
    },
    /// It ended inside a call.
    Inside {
        /// Which.
        call: Signature,
        /// Seconds into the recording at which it began.
        since: f64,
    },
}

impl Rank {
    /// Reads a rank's file, for what is chosen of it, of its time what is in the window. `now` is the system's monotonic clock, until
    /// which a process counts that runs. `seen` is told how many bytes are done.
    pub fn load(trace: Arc<RankFile>, choice: &Choice, window: Option<Window>, now: i64, seen: impl Fn(u64)) -> Rank {
        let contents = trace.contents();
        let mut rank = Rank::described(&trace, &contents);
        let mut selection = Selection::of(&contents, &rank.header, &rank.regions, choice, window);
        rank.is_asked = choice.has_rank(&rank.header);
        rank.is_starting = is_starting(&contents, &rank.header);
        let profile = selection.as_ref().map_or(ProfilePart::All, |selection| selection.profile);
        rank.shared = tally::by_function(&contents.shared, profile);
        let stretches = |number| selection.as_ref().map_or(ALL, |selection| selection.thread(number));
        let read = |thread: &ThreadPages<'_>| tally::read(thread, stretches(thread.number), &seen);
        let threads: Vec<ReadThread<'_>> = contents.threads.iter().map(read).collect();
        let last_signs = threads.iter().map(|thread| thread.last_sign);
        rank.until = rank.lives_until(last_signs.chain([contents.newest.ticks]), now);
        let mut latest = Latest::default();
        for (thread, read) in contents.threads.iter().zip(threads) {
            let until = read.until.clone();
            let (tally, tail) = read.finish(thread, rank.until, profile);
            latest.see(thread, &tally, &tail);
            let tid = thread.block.map_or(0, |block| block.tid);
            // One that only names regions has not called MPI.
            if has_called(thread, &tally, &tail) {
                rank.threads.push(ThreadTotals { number: thread.number, tid, entries: tally.entries });
            }
            rank.damage.extend(tally.damage);
            rank.cancelled.extend(tally.cancelled);
            rank.left_out += tally.left_out;
            rank.read.insert(thread.number, ThreadEnd { until, tail });
        }
        rank.end = latest.end(&rank);
        if let Some(selection) = &mut selection {
            selection.measure(&rank.header, rank.header.begin.ticks, rank.until);
        }
        rank.selection = selection;
        rank
    }

    /// What its file holds, as far as it was read when the calls were added up: a program that goes on writes more.
    pub fn contents(&self) -> Contents<'_> {
        let mut contents = self.trace.contents();
        if self.read.is_empty() {
            return contents;
        }
        contents.threads.retain_mut(|thread| {
            let Some(end) = self.read.get(&thread.number) else { return false };
            thread.cut(&end.until);
            thread.tail = end.tail.clone();
            true
        });
        contents
    }

    /// The outermost call that its first thread has not returned from.
    pub fn open_call(&self) -> Option<&OpenCall> {
        self.read.get(&self.threads.first()?.number)?.tail.outermost()
    }

    /// The outermost call that each of its threads has not returned from.
    pub fn open_calls(&self) -> impl Iterator<Item = &OpenCall> {
        self.read.values().filter_map(|end| end.tail.outermost())
    }

    /// Until which tick it counts whose threads were last known to live at these.
    fn lives_until(&self, last_signs: impl Iterator<Item = u64>, now: i64) -> u64 {
        let header = &self.header;
        if header.state & FINALIZED != 0 {
            return header.end.ticks;
        }
        let last_sign = last_signs.fold(header.begin.ticks.max(header.ready.ticks), u64::max);
        match self.fate {
            ProcessFate::Runs => last_sign.max(self.clock.ticks_at(header, now)),
            ProcessFate::Ended | ProcessFate::Unknown => last_sign,
        }
    }

    /// Reads what a file says about its rank, and none of the calls.
    pub fn open(trace: &Arc<RankFile>) -> Rank {
        Rank::described(trace, &trace.contents())
    }

    /// The rank of a file of which nothing has been read but its header.
    pub fn begun(trace: &Arc<RankFile>) -> Rank {
        Rank::described(trace, &Contents::default())
    }

    fn described(trace: &Arc<RankFile>, contents: &Contents<'_>) -> Rank {
        let header = *trace.header();
        let clock = Clock::fit(&header, [&contents.newest].into_iter());
        let mut rank = Rank {
            file: trace.path().file_name().unwrap_or_default().to_string_lossy().into_owned(),
            trace: Arc::clone(trace),
            bytes: trace.len(),
            header,
            process: Process::default(),
            library: Library::default(),
            machine: None,
            usages: Vec::new(),
            filter: String::new(),
            warnings: Vec::new(),
            recorded: None,
            communicators: HashMap::new(),
            members: HashMap::new(),
            groups: HashMap::new(),
            neighbors: HashMap::new(),
            parts: HashMap::new(),
            origins: HashMap::new(),
            syncs: Vec::new(),
            same_clocks: Vec::new(),
            objects: HashMap::new(),
            sites: HashMap::new(),
            modules: HashMap::new(),
            places: HashMap::new(),
            regions: HashMap::new(),
            languages: BTreeSet::new(),
            progress: Depth::Off,
            asked: false,
            components: Vec::new(),
            ledger: ledger(contents),
            off_line: of_blocks(contents, |block| block.off_line),
            starting: of_blocks(contents, |block| block.starting),
            met: of_blocks(contents, |block| block.met),
            idle_polls: of_blocks(contents, |block| block.idle_polls),
            clock,
            threads: Vec::new(),
            shared: Vec::new(),
            roomless: (header.threads as usize).saturating_sub(contents.threads.len()),
            is_asked: true,
            cancelled: HashSet::new(),
            selection: None,
            is_starting: false,
            left_out: Entries::default(),
            end: End::Finalized,
            until: header.begin.ticks.max(header.ready.ticks),
            read: HashMap::new(),
            fate: ProcessFate::Unknown,
            damage: contents.damage.clone(),
        };
        contents.definitions.iter().cloned().for_each(|definition| rank.define(definition));
        rank.fate = ProcessFate::of(&rank.process, header.pid);
        if header.state & FINALIZED != 0 {
            rank.until = header.end.ticks;
        }
        rank
    }

    /// The rank in its world of a process that is called by its place in a communicator; of the remote group, in an
    /// intercommunicator.
    pub fn in_world(&self, communicator: u32, place: i32) -> Option<u32> {
        let members = self.members.get(&communicator)?;
        let spans = if members.remote.is_empty() { &members.local } else { &members.remote };
        u32::try_from(Span::rank(spans, u32::try_from(place).ok()?)?).ok()
    }

    /// Rank in the world, if MPI had said it.
    pub fn number(&self) -> Option<u32> {
        (self.header.rank != NO_RANK).then_some(self.header.rank)
    }

    /// Whether MPI was initialized.
    pub fn initialized(&self) -> bool {
        self.header.state & INITIALIZED != 0
    }

    /// Whether only counts and times were recorded, from the start or from some point on.
    pub fn is_profile(&self) -> bool {
        self.header.has_profile()
    }

    /// Whether single calls are missing that nobody asked to be left out.
    pub fn is_cut_short(&self) -> bool {
        Stop::from_number(self.header.stop).is_some_and(|stop| stop != Stop::No && !stop.is_limit())
    }

    /// Adds what a definition says.
    pub fn define(&mut self, definition: Definition) {
        match definition {
            Definition::Process(process) => self.process = process,
            Definition::Library(library) => self.library = library,
            Definition::Module(module) => drop(self.modules.insert(module.number, module)),
            Definition::Site(site) => drop(self.sites.insert(site.number, site)),
            Definition::Communicator(comm) => drop(self.communicators.insert(comm.number, comm)),
            Definition::Object(object) => drop(self.objects.insert(object.number, object)),
            Definition::Filter(filter) => self.filter = filter,
            Definition::Warning(warning) => self.warnings.push(warning),
            Definition::Members(members) => drop(self.members.insert(members.communicator, members)),
            Definition::Group(group) => drop(self.groups.insert(group.number, group)),
            Definition::Neighbors(neighbors) => drop(self.neighbors.insert(neighbors.communicator, neighbors)),
            Definition::Component(component) => self.components.push(component),
            Definition::Origin(origin) => drop(self.origins.insert(origin.number, origin)),
            Definition::Sync(sync) => self.syncs.push(sync),
            Definition::SameClock(same) => self.same_clocks.push(same),
            Definition::Language(language) => drop(self.languages.insert(language)),
            Definition::Place(place) => drop(self.places.insert(place.site, place)),
            Definition::Recorded(ranks) => self.recorded = Some(ranks),
            Definition::Region(region) => drop(self.regions.insert(region.number, region)),
            Definition::Parts(parts) => drop(self.parts.insert(parts.number, parts.runs)),
            Definition::Asked(_) => self.asked = true,
            Definition::Machine(machine) => self.machine = Some(machine),
            Definition::Usage(usage) => self.usages.push(usage),
            Definition::Progress(depth) => self.progress = Depth::from_number(depth).unwrap_or(Depth::Off),
        }
    }
}

/// Whether a thread has called MPI.
fn has_called(thread: &ThreadPages<'_>, tally: &Tally, tail: &Tail) -> bool {
    thread.number == 0 || tally.last.is_some() || tail.outermost().is_some() || !thread.profile.is_empty()
}

/// A figure of threads' blocks, added up.
fn of_blocks(contents: &Contents<'_>, figure: fn(&ThreadBlock) -> u64) -> u64 {
    contents.threads.iter().filter_map(|thread| thread.block).map(figure).total()
}

/// The ledgers of all threads, added.
fn ledger(contents: &Contents<'_>) -> [LedgerLine; LINES] {
    let mut sum = [LedgerLine::default(); LINES];
    for block in contents.threads.iter().filter_map(|thread| thread.block) {
        for (sum, line) in sum.iter_mut().zip(&block.ledger) {
            *sum += *line;
        }
    }
    sum
}

/// Whether calls were made inside other calls, whose time holds theirs.
pub fn is_nested(entry: &CallTotal) -> bool {
    entry.signature.flags & NESTED != 0
}

/// The name of a signature's function.
pub fn function(signature: &Signature) -> String {
    function_of(signature.call)
}

/// The name of a function by its number.
pub fn function_of(call: u16) -> String {
    match Call::from_number(call) {
        Some(call) => call.mpi_name(),
        None if call == 0 => "(not told apart)".into(),
        None => format!("(call {call})"),
    }
}

/// The last that is known of a rank, over its threads.
#[derive(Default)]
pub struct Latest {
    inside: Option<(u64, Signature)>,
    ended: Option<(u64, Option<Signature>)>,
}

impl Latest {
    fn see(&mut self, thread: &ThreadPages<'_>, tally: &Tally, tail: &Tail) {
        let outermost = tail.outermost().map(|call| (call.start, call.signature));
        let last = tally.last.and_then(|last| thread.signatures.get(last.signature)).map(|found| *found.0);
        self.add(outermost, tally.last_end.map(|end| (end, last)));
    }

    /// What the next thread is in, since which tick, and when its last call ended.
    pub fn add(&mut self, inside: Option<(u64, Signature)>, ended: Option<(u64, Option<Signature>)>) {
        // The first thread is the one that called MPI_Init: what it is in is what the rank is in.
        self.inside = self.inside.or(inside);
        self.ended = [ended, self.ended].into_iter().flatten().max_by_key(|(end, _)| *end);
    }

    /// How the recording ended, as far as that is known.
    pub fn end(self, rank: &Rank) -> End {
        if rank.header.state & FINALIZED != 0 {
            return End::Finalized;
        }
        match (self.inside, self.ended) {
            (Some((since, call)), _) => End::Inside { call, since: rank.since_begin(since) },
            (None, Some((end, last))) => End::Outside { after: rank.since_begin(end), last },
            (None, None) => End::Outside { after: 0.0, last: None },
        }
    }
}
