//! One rank of a run: its file's contents, summed up.

mod by_number;
mod counted;
mod later_pages;
mod latest;
mod layouts;
mod ledger;
mod sketch;
mod times;
mod usage;
mod zeroed_blocks;

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use traces::call_filter::Filter;
use traces::calls::Call;
use traces::definitions::{
    AskedEvent, CalledFrom, Communicator, Component, CounterReading, Definition, Group, Language, Library, Machine,
    Members, Module, Neighbors, Object, Origin, Process, Region, SameClock, Site, SourcePlace, Span, Step, Sync,
    Throttling, Usage, Variable, variables_of,
};
use traces::error::Damage;
use traces::file::{FINALIZED, FileHeader, INITIALIZED, NO_RANK, Stop};
use traces::live::LiveBlock;
use traces::mpi_settings::sets_up_mpi;
use traces::progress::{Depth, Entries};
use traces::read::{Contents, OpenCall, RankFile, ReadUntil, Tail, ThreadPages};
use traces::signature::{NESTED, Signature};

use super::clock::Clock;
use super::selection::{ALL, Choice, ProfilePart, Selection, Window, is_starting};
use super::sums::Total;
use super::tally::{self, CallTotal, ReadThread, Samples, Tally};
use crate::process::ProcessFate;
pub use by_number::ByNumber;
pub use counted::CountedEvent;
use later_pages::end_calls_of_later_pages;
pub use latest::Latest;
use layouts::Layouts;
pub use ledger::Ledger;
pub use sketch::Sketch;
use times::kept_from;
pub use usage::{ThrottledBetween, UsageBetween, cores};

pub struct Rank {
    pub file: String,
    /// The file, as mapped when it was opened.
    pub trace: Arc<RankFile>,
    pub bytes: u64,
    pub header: FileHeader,
    pub process: Process,
    pub library: Library,
    /// Cores of its host; `None` in files of older recorders.
    pub machine: Option<Machine>,
    /// Readings of its use of the machine, in order; empty in files of older recorders.
    pub usages: Vec<Usage>,
    /// Readings of how often the quota of its control group stopped it.
    pub throttlings: Vec<Throttling>,
    /// Events that the user wanted to be counted, and readings of those that are.
    pub asked_events: Vec<AskedEvent>,
    pub counter_readings: Vec<CounterReading>,
    /// Steps of the recorder's own work when MPI was initialized and finalized; empty in files of older recorders.
    pub steps: Vec<Step>,
    pub filter: String,
    /// Environment variables that set up MPI or threads, as `NAME=VALUE`.
    pub settings: Vec<String>,
    /// What the MPI library was set to; one rank of a run has it.
    pub variables: Vec<Variable>,
    pub warnings: Vec<String>,
    /// Ranks recorded together with it, if these are not all of its world.
    pub recorded: Option<Vec<Span>>,
    pub communicators: ByNumber<Communicator>,
    /// Processes of communicators, by the rank's number.
    pub members: ByNumber<Members>,
    /// Groups that windows were opened to, by the rank's number.
    pub groups: ByNumber<Group>,
    /// Neighbors in communicators with a topology, by the rank's number.
    pub neighbors: ByNumber<Neighbors>,
    layouts: Layouts,
    /// Origins of communicators, windows and files, by the rank's number.
    pub origins: ByNumber<Origin>,
    /// Readings of its clock against other ranks'.
    pub syncs: Vec<Sync>,
    /// Ranks that share its clock.
    pub same_clocks: Vec<SameClock>,
    pub objects: ByNumber<Object>,
    pub sites: ByNumber<Site>,
    pub modules: ByNumber<Module>,
    /// Callers of call sites, by the site's number; empty if no paths were recorded.
    pub callers: ByNumber<CalledFrom>,
    /// Call sites that the program's own runtime named, by number.
    pub places: ByNumber<SourcePlace>,
    pub regions: ByNumber<Region>,
    /// Names of the files that it accessed, by number.
    pub files: ByNumber<String>,
    /// Languages that MPI was called from.
    pub languages: BTreeSet<Language>,
    /// Depth of the recording of the progress engine.
    pub progress: Depth,
    /// The recorder asked MPI at each call which requests are complete.
    pub asked: bool,
    /// Recorded parts of the progress engine.
    pub components: Vec<Component>,
    /// Activity of those parts over all threads, by number.
    pub ledger: Ledger,
    /// Ticks that the recorder took off the straight line of a call, all threads.
    pub off_line: u64,
    /// The part of `off_line` while MPI started and ended; 0 if the recorder did not tell.
    pub starting: u64,
    /// Ticks for which the recorder then waited for other ranks' recorders.
    pub met: u64,
    /// Polls without success that directly followed another one, all threads.
    pub idle_polls: u64,
    pub clock: Clock,
    /// Threads in the order they first called MPI.
    pub threads: Vec<ThreadTotals>,
    /// Calls by function, of threads without room of their own in the file.
    pub shared: Vec<CallTotal>,
    /// Threads without room in the file: they called MPI, or only turned its engine as threads of the library.
    pub roomless: usize,
    /// True if some of it is selected.
    pub is_asked: bool,
    /// Samples of all threads, those between calls at sites of this rank.
    pub samples: Samples,
    /// Cancelled requests, by starting thread and number.
    pub cancelled: HashSet<(u32, u64)>,
    /// Selected part of its time; `None` for all of it.
    pub selection: Option<Selection>,
    /// It has called MPI_Init, and has done nothing since.
    pub is_starting: bool,
    /// Entries into the progress engine in calls outside the selection.
    pub left_out: Entries,
    pub end: End,
    /// The last tick that counts: now for a running process, else the last sign of life in the file. Calls that have not returned
    /// count until then.
    pub until: u64,
    /// End of each thread's records that were read, by number; empty if no calls were read.
    read: ByNumber<ThreadEnd>,
    /// MPI was finalized, and no call is single: all that the file says was read.
    only_counts: bool,
    pub fate: ProcessFate,
    /// The tick from which the records of all its threads are kept; `None` if none were dropped.
    pub kept_from: Option<u64>,
    /// Calls in records that were dropped. Totals include them.
    pub dropped_calls: u64,
    /// Damaged parts of the file.
    pub damage: Vec<Damage>,
}

/// End of a thread's records, and its calls that have no record yet.
struct ThreadEnd {
    until: ReadUntil,
    tail: Tail,
}

pub struct ThreadTotals {
    /// Counted from 0, in the order the threads first called MPI.
    pub number: u32,
    /// The system's thread id.
    pub tid: u32,
    pub entries: Vec<CallTotal>,
}

/// End of a rank's recording.
#[derive(Clone, Debug)]
pub enum End {
    /// MPI was finalized.
    Finalized,
    /// The process ended or was killed outside MPI.
    Outside {
        /// Seconds into the recording.
        after: f64,
        last: Option<Signature>,
    },
    /// The process ended inside a call.
    Inside {
        call: Signature,
        /// Seconds into the recording.
        since: f64,
    },
}

impl Rank {
    /// Reads the chosen part of a rank's file, within the window. A running process counts until `now`, the system's monotonic
    /// clock. Calls `seen` with the number of bytes done.
    pub fn load(trace: Arc<RankFile>, choice: &Choice, window: Option<Window>, now: i64, seen: impl Fn(u64)) -> Rank {
        let contents = trace.contents();
        let mut rank = Rank::described(&trace, &contents);
        rank.is_asked = choice.has_rank(&rank.header);
        if choice.describes_others && !rank.is_asked {
            return rank;
        }
        let mut selection = Selection::of(&contents, &rank.header, &rank.regions, choice, window);
        rank.is_starting = is_starting(&contents, &rank.header);
        let profile = selection.as_ref().map_or(ProfilePart::All, |selection| selection.profile);
        rank.shared = tally::by_function(&contents.shared, profile);
        let stretches = |number| selection.as_ref().map_or(ALL, |selection| selection.thread(number));
        let read = |thread: &ThreadPages<'_>| tally::read(thread, stretches(thread.number), &seen);
        let mut threads: Vec<ReadThread<'_>> = contents.threads.iter().map(read).collect();
        end_calls_of_later_pages(&trace, &mut threads, &contents);
        let last_signs = threads.iter().map(|thread| thread.last_sign);
        rank.until = rank.lives_until(last_signs.chain([contents.newest.ticks]), now);
        let mut latest = Latest::default();
        for (thread, read) in contents.threads.iter().zip(threads) {
            let until = read.until.clone();
            if rank.fate != ProcessFate::Runs && !rank.is_profile() {
                rank.damage.extend(read.lost_end.clone());
            }
            let (tally, tail) = read.finish(thread, rank.until, profile);
            latest.see(thread, &tally, &tail);
            let tid = thread.tid();
            // A thread that only names regions has not called MPI.
            if has_called(thread, &tally, &tail) {
                rank.threads.push(ThreadTotals { number: thread.number, tid, entries: tally.entries });
            }
            rank.damage.extend(tally.damage);
            rank.cancelled.extend(tally.cancelled);
            rank.samples.add(tally.samples);
            rank.left_out += tally.left_out;
            rank.read.insert(thread.number, ThreadEnd { until, tail });
        }
        rank.end = latest.end(&rank);
        if let Some(selection) = &mut selection {
            selection.measure(&rank.header, rank.header.begin.ticks, rank.until);
        }
        rank.selection = selection;
        let counts = |thread: &ThreadPages<'_>| thread.pages.is_empty() && thread.tail.calls.is_empty();
        rank.only_counts = rank.header.state & FINALIZED != 0 && contents.threads.iter().all(counts);
        rank
    }

    /// Frees the memory of a file that holds nothing more to read.
    pub fn let_go(&mut self) {
        if self.only_counts
            && let Some(trace) = Arc::get_mut(&mut self.trace)
        {
            trace.let_go();
        }
    }

    /// Contents of the file as far as its calls were counted: a running program writes more. Empty if no single calls were
    /// recorded.
    pub fn contents(&self) -> Contents<'_> {
        if self.only_counts {
            return Contents::default();
        }
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

    /// Sites from which MPI is called, in order: those that are not only callers or places of samples.
    pub fn calling_sites(&self) -> Vec<u32> {
        let callers: HashSet<CalledFrom> = self.callers.values().copied().collect();
        let called: HashSet<u32> = self.entries().map(|entry| entry.signature.site).collect();
        let all: BTreeSet<u32> = self.sites.keys().chain(self.places.keys()).copied().collect();
        let is_sample = |site: &u32| self.samples.sites.contains(site) && !called.contains(site);
        all.into_iter().filter(|site| !callers.contains(&CalledFrom::Site(*site)) && !is_sample(site)).collect()
    }

    /// Outermost call that each thread has not returned from.
    pub fn open_calls(&self) -> impl Iterator<Item = &OpenCall> {
        self.read.values().filter_map(|end| end.tail.outermost())
    }

    /// Last tick that counts, given the threads' last signs of life.
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

    /// Reads a file's definitions, without its calls.
    pub fn open(trace: &Arc<RankFile>) -> Rank {
        Rank::described(trace, &trace.contents())
    }

    /// The rank of a file, with only the header read.
    pub fn begun(trace: &Arc<RankFile>) -> Rank {
        Rank::described(trace, &Contents::default())
    }

    fn described(trace: &Arc<RankFile>, contents: &Contents<'_>) -> Rank {
        let header = *trace.header();
        let clock = Clock::fit(&header, [&contents.newest].into_iter());
        let blocks: Vec<_> = contents.threads.iter().filter_map(|thread| thread.block).map(LiveBlock::copy).collect();
        let mut rank = Rank {
            file: trace.path().file_name().unwrap_or_default().to_string_lossy().into_owned(),
            trace: Arc::clone(trace),
            bytes: trace.len(),
            header,
            process: Process::default(),
            library: Library::default(),
            machine: None,
            usages: Vec::new(),
            throttlings: Vec::new(),
            asked_events: Vec::new(),
            counter_readings: Vec::new(),
            steps: Vec::new(),
            filter: String::new(),
            settings: Vec::new(),
            variables: Vec::new(),
            warnings: Vec::new(),
            recorded: None,
            communicators: ByNumber::new(),
            members: ByNumber::new(),
            groups: ByNumber::new(),
            neighbors: ByNumber::new(),
            layouts: Layouts::default(),
            origins: ByNumber::new(),
            syncs: Vec::new(),
            same_clocks: Vec::new(),
            objects: ByNumber::new(),
            sites: ByNumber::new(),
            modules: ByNumber::new(),
            callers: ByNumber::new(),
            places: ByNumber::new(),
            regions: ByNumber::new(),
            files: ByNumber::new(),
            languages: BTreeSet::new(),
            progress: Depth::Off,
            asked: false,
            components: Vec::new(),
            ledger: Ledger::of(&blocks),
            off_line: blocks.iter().map(|block| block.off_line).total(),
            starting: blocks.iter().map(|block| block.starting).total(),
            met: blocks.iter().map(|block| block.met).total(),
            idle_polls: blocks.iter().map(|block| block.idle_polls).total(),
            clock,
            threads: Vec::new(),
            shared: Vec::new(),
            roomless: (header.threads as usize).saturating_sub(contents.threads.len()),
            is_asked: true,
            samples: Samples::default(),
            cancelled: HashSet::new(),
            selection: None,
            is_starting: false,
            left_out: Entries::default(),
            end: End::Finalized,
            until: header.begin.ticks.max(header.ready.ticks),
            read: ByNumber::new(),
            only_counts: false,
            fate: ProcessFate::Unknown,
            kept_from: contents.threads.iter().filter_map(kept_from).max(),
            dropped_calls: contents
                .threads
                .iter()
                .filter_map(|thread| thread.dropped)
                .map(|dropped| dropped.head.calls)
                .total(),
            damage: contents.damage.clone(),
        };
        for definition in contents.definitions.iter().cloned() {
            rank.define(definition);
        }
        rank.trim();
        rank.fate = ProcessFate::of(&rank.process, header.pid);
        rank.damage.extend(zeroed_blocks::damage(&header, &rank.process, contents));
        if header.state & FINALIZED != 0 {
            rank.until = header.end.ticks;
        }
        rank
    }

    /// Rank in its world of a process, given by its number in a communicator; in an intercommunicator, of the remote group.
    pub fn in_world(&self, communicator: u32, place: i32) -> Option<u32> {
        let members = self.members.get(&communicator)?;
        let spans = if members.remote.is_empty() { &members.local } else { &members.remote };
        u32::try_from(Span::rank(spans, u32::try_from(place).ok()?)?).ok()
    }

    /// Rank in the world; `None` before MPI told it.
    pub fn number(&self) -> Option<u32> {
        (self.header.rank != NO_RANK).then_some(self.header.rank)
    }

    pub fn initialized(&self) -> bool {
        self.header.state & INITIALIZED != 0
    }

    /// True if only counts and times were recorded, from the start or from some point on.
    pub fn is_profile(&self) -> bool {
        self.header.has_profile()
    }

    /// True if the filter leaves out queries at most.
    pub fn records_all_calls(&self) -> bool {
        Filter::parse(&self.filter).is_ok_and(|filter| filter.records_all())
    }

    pub fn is_finalized(&self) -> bool {
        matches!(self.end, End::Finalized)
    }

    /// True if the rank's last calls are only in its totals.
    pub fn has_stopped(&self) -> bool {
        self.header.stop != Stop::No as u32
    }

    /// True if single calls are missing that no limit of the user left out.
    pub fn is_cut_short(&self) -> bool {
        Stop::from_number(self.header.stop).is_some_and(|stop| stop != Stop::No && !stop.is_limit())
    }

    pub fn define(&mut self, definition: Definition) {
        match definition {
            Definition::Process(process) => self.process = process,
            Definition::Library(library) => self.library = library,
            Definition::Module(module) => drop(self.modules.insert(module.number, module)),
            Definition::Site(site) => drop(self.sites.insert(site.number, site)),
            Definition::Communicator(comm) => drop(self.communicators.insert(comm.number, comm)),
            Definition::Object(object) => drop(self.objects.insert(object.number, object)),
            Definition::Filter(filter) => self.filter = filter,
            Definition::Settings(settings) => {
                // Recorders of earlier versions kept some that launchers set.
                self.settings = settings.into_iter().filter(|one| sets_up_mpi(one)).collect();
            }
            Definition::Variables(text) => self.variables = variables_of(&text),
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
            Definition::Caller(caller) => drop(self.callers.insert(caller.site, caller.caller)),
            Definition::Recorded(ranks) => self.recorded = Some(ranks),
            Definition::AccessedFile(file) => drop(self.files.insert(file.number, file.name)),
            Definition::Region(region) => drop(self.regions.insert(region.number, region)),
            Definition::Parts(parts) => self.layouts.define_parts(parts),
            Definition::Datatype(datatype) => self.layouts.define_datatype(datatype),
            Definition::CallLayout(layout) => self.layouts.define_layout(layout),
            Definition::Asked(_) => self.asked = true,
            Definition::Machine(machine) => self.machine = Some(machine),
            Definition::Usage(usage) => self.usages.push(usage),
            Definition::Throttling(throttling) => self.throttlings.push(throttling),
            Definition::AskedEvents(events) => self.asked_events = events,
            Definition::CounterReading(reading) => self.counter_readings.push(reading),
            Definition::Steps(steps) => self.steps.extend(steps),
            Definition::SamplingPeriod(nanoseconds) => self.samples.period = nanoseconds,
            Definition::Progress(depth) => self.progress = Depth::from_number(depth).unwrap_or(Depth::Off),
        }
    }
}

fn has_called(thread: &ThreadPages<'_>, tally: &Tally, tail: &Tail) -> bool {
    thread.number == 0
        || tally.last.is_some()
        || tail.outermost().is_some()
        || !thread.profile.is_empty()
        || thread.dropped.is_some()
}

/// True for a call made inside another call, whose time includes it.
pub fn is_nested(entry: &CallTotal) -> bool {
    entry.signature.flags & NESTED != 0
}

pub fn function(signature: &Signature) -> String {
    function_of(signature.call)
}

pub fn function_of(call: u16) -> String {
    match Call::from_number(call) {
        Some(call) => call.mpi_name(),
        None if call == 0 => "(not told apart)".into(),
        None => format!("(call {call})"),
    }
}
