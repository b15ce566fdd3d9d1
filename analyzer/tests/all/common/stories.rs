//! Runs made by hand that ended before MPI_Finalize, or are still running.

use std::fs;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

use model::process::{self as running, ProcessState};
use model::standing::clocks;
use traces::calls::Call;
use traces::clock::ClockSample;
use traces::definitions::{
    Communicator, Definition, Group, Library, Members, Neighbors, Object, ObjectKind, Origin, Process, Span,
};
use traces::file::{FINALIZED, FileHeader, INITIALIZED, ThreadBlock};
use traces::progress::{INSIDE, Polls};
use traces::record::{self, Arrived, Fate, RecordKind};
use traces::signature::{CREATES, STARTS, Signature, peer, tag};
use traces::write::{FileWriter, blank_block, call};

use super::{BEGIN, Folder, SECOND, header, in_call};

/// A rank's finished calls in order, and its open one.
#[derive(Clone, Default)]
pub struct Story {
    /// Finished calls, each with the records after it.
    over: Vec<(Signature, Vec<u64>)>,
    open: Option<Signature>,
    asks: Option<Signature>,
    /// Seconds for which the open call has turned MPI's engine.
    turned: u64,
    /// Number of times that the engine has moved data in the open call.
    moved: u64,
    /// Seconds that the finished calls take.
    took: u64,
    /// Seconds for which it has polled, and the part of them in MPI.
    polled: [u64; 2],
    /// The rank has finalized MPI.
    is_finalized: bool,
    /// Other threads of the rank.
    beside: Vec<Story>,
    /// Ranks that it receives from and sends to as neighbors in MPI_COMM_WORLD.
    neighbors: Option<[Vec<Span>; 2]>,
}

pub fn outside(over: &[Signature]) -> Story {
    Story { over: over.iter().map(|call| (*call, Vec::new())).collect(), ..Story::default() }
}

pub fn inside(over: &[Signature], open: Signature) -> Story {
    Story { open: Some(open), ..outside(over) }
}

/// A rank between two tests that have not succeeded so far.
pub fn asking(asks: Signature) -> Story {
    Story { asks: Some(asks), ..Story::default() }
}

impl Story {
    /// The rank is in this call now.
    pub fn entering(self, open: Signature) -> Story {
        Story { open: Some(open), ..self }
    }

    /// The rank has been in its call for a while, and turned MPI's engine there.
    pub fn waited(self) -> Story {
        self.waited_for(2)
    }

    /// The rank has turned MPI's engine in its call for as many seconds.
    pub fn waited_for(self, seconds: u64) -> Story {
        Story { turned: seconds, ..self }
    }

    /// MPI's engine has moved data in the open call so often.
    pub fn moved(self, times: u64) -> Story {
        Story { moved: times, ..self }
    }

    /// Each finished call takes as many seconds.
    pub fn taking(self, seconds: u64) -> Story {
        Story { took: seconds, ..self }
    }

    /// The rank has polled for as many seconds, and was in MPI for a part of them.
    pub fn polled_for(self, seconds: u64, in_mpi: u64) -> Story {
        Story { polled: [seconds, in_mpi], ..self }
    }

    pub fn finalized(self) -> Story {
        Story { is_finalized: true, ..self }
    }

    /// Adds a finished call.
    pub fn then(mut self, call: Signature) -> Story {
        self.over.push((call, Vec::new()));
        self
    }

    /// The last call completed the request `age` begins back, its own begin included.
    pub fn completed(self, age: u64) -> Story {
        self.with(&[record::requests(RecordKind::Completed, 1, age)])
    }

    /// The last call started the persistent request `age` numbers back.
    pub fn started(self, age: u64) -> Story {
        self.with(&[record::requests(RecordKind::Started, 1, age)])
    }

    /// The last call freed a request.
    pub fn gave_up(self, age: u64) -> Story {
        self.with(&[record::requests(RecordKind::Freed, 1, age)])
    }

    /// The last call received a message.
    pub fn got(self, source: i32, tag: i32, fate: Fate) -> Story {
        self.with(&Arrived { source, tag, bytes: 8, fate }.words())
    }

    fn with(mut self, words: &[u64]) -> Story {
        self.over.last_mut().unwrap().1.extend(words);
        self
    }

    /// Gives the rank a neighbor that it receives from, and one that it sends to.
    pub fn between(self, source: i32, destination: i32) -> Story {
        let one = |first| vec![Span { first, count: 1, step: 1 }];
        Story { neighbors: Some([one(source), one(destination)]), ..self }
    }

    /// Adds another thread of the rank.
    pub fn beside(mut self, other: Story) -> Story {
        self.beside.push(other);
        self
    }
}

pub fn to(call: Call, peer: i32, tag: i32) -> Signature {
    Signature { call: call.number(), object: 1, peer, tag, sent: 8, ..Signature::EMPTY }
}

pub fn receive(from: i32, tag: i32) -> Signature {
    Signature { received: 8, sent: 0, ..to(Call::Recv, from, tag) }
}

/// A receive that begins a request.
pub fn receiving(from: i32, tag: i32) -> Signature {
    Signature { flags: STARTS, call: Call::Irecv.number(), ..receive(from, tag) }
}

pub fn collective(call: Call) -> Signature {
    to(call, peer::NONE, tag::NONE)
}

pub fn completing(call: Call, requests: u32) -> Signature {
    Signature { requests, object: 0, ..to(call, peer::NONE, tag::NONE) }
}

pub fn begun(call: Call, peer: i32, tag: i32) -> Signature {
    Signature { flags: STARTS, ..to(call, peer, tag) }
}

pub fn created(call: Call, peer: i32, tag: i32) -> Signature {
    Signature { flags: CREATES, ..to(call, peer, tag) }
}

/// Moves a call to the communicator `halo`, which has the ranks of the world.
pub fn on_halo(call: Signature) -> Signature {
    Signature { object: 3, ..call }
}

/// Moves a call to the second object of each rank, a window or file of the whole world.
pub fn on_object(call: Signature) -> Signature {
    Signature { object: 2, ..call }
}

/// MPI_Win_start or MPI_Win_post for one other rank.
pub fn epoch(call: Call, of: u32) -> Signature {
    Signature { source_tag: of as i32, ..on_object(collective(call)) }
}

/// A sleeping process that ends with the test.
pub struct Sleeper(pub Child);

impl Sleeper {
    pub fn new() -> Sleeper {
        let child = Command::new("sleep").arg("600").spawn().unwrap();
        // It uses processor time until it has started.
        while running::Process::of(child.id()).unwrap().state != ProcessState::Asleep {
            thread::sleep(Duration::from_millis(20));
        }
        Sleeper(child)
    }

    /// The process as a trace file describes it.
    pub fn process(&self) -> Process {
        let pid = self.0.id();
        Process {
            host: this_host(),
            boot: fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap().trim().into(),
            program: fs::read_link(format!("/proc/{pid}/exe")).unwrap().to_str().unwrap().into(),
            ..Process::default()
        }
    }

    /// Header of ranks that are this process and began to record `ago` seconds ago.
    ///
    /// That may be before this machine booted. Its clock was negative then, and wraps around as readers expect.
    pub fn header(&self, ago: u64) -> FileHeader {
        let began = u64::try_from(clocks().0).unwrap().wrapping_sub(ago * SECOND);
        let sample =
            |ticks| ClockSample { ticks, width: 1, monotonic: began.wrapping_add(ticks - BEGIN), realtime: ticks };
        FileHeader { pid: self.0.id(), begin: sample(BEGIN), end: sample(BEGIN + SECOND), ..header(0, 0) }
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Writes a recording with a call per millisecond, and the open one two seconds after the begin. The processes are
/// gone, since this host has rebooted.
pub fn run(stories: Vec<Story>) -> Folder {
    let folder = Folder::new();
    run_in(&folder, stories);
    folder
}

/// Writes such a run into an existing folder.
pub fn run_in(folder: &Folder, stories: Vec<Story>) {
    run_by(folder, stories, header(0, 0), |_| gone(this_host()));
}

/// Writes such a run for ranks on the hosts of these names.
pub fn run_on(folder: &Folder, stories: Vec<Story>, host: impl Fn(u32) -> &'static str) {
    run_by(folder, stories, header(0, 0), |rank| gone(host(rank).into()));
}

/// Ranks that are all one sleeping process, which began to record `ago` seconds ago.
pub fn asleep(stories: Vec<Story>, sleeper: &Sleeper, ago: u64) -> Folder {
    let folder = Folder::new();
    run_by(&folder, stories, sleeper.header(ago), |_| sleeper.process());
    folder
}

pub fn this_host() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim().to_string()
}

/// A process that ended before its host rebooted.
pub fn gone(host: String) -> Process {
    Process { host, boot: "before".into(), program: "/bin/app".into(), ..Process::default() }
}

/// Writes such a run with headers like this one, for these processes.
pub fn run_by(folder: &Folder, stories: Vec<Story>, like: FileHeader, process: impl Fn(u32) -> Process) {
    let size = stories.len() as u32;
    for (rank, story) in (0..).zip(stories) {
        let state = if story.is_finalized { INITIALIZED | FINALIZED } else { INITIALIZED };
        let own = FileHeader { state, rank, size, ..like };
        let mut file = FileWriter::begin(Vec::new(), own).unwrap();
        let named = |number, name: &str| {
            Definition::Communicator(Communicator { number, rank: rank as i32, size, inter: false, name: name.into() })
        };
        let all_in = |communicator| {
            let local = vec![Span { first: 0, count: size, step: 1 }];
            Definition::Members(Members { communicator, local, remote: Vec::new() })
        };
        let kind = if story.has(Call::File_open) { ObjectKind::File } else { ObjectKind::Window };
        file.definitions(&[
            Definition::Process(process(rank)),
            Definition::Library(Library { version: "Open MPI v4.1.4".into(), path: "/lib/libmpi.so.40".into() }),
            named(1, "MPI_COMM_WORLD"),
            all_in(1),
            named(3, "halo"),
            all_in(3),
            Definition::Object(Object { number: 2, kind }),
            Definition::Origin(Origin { number: 2, parent: 1, ordinal: 0 }),
            Definition::Filter("-query".into()),
        ])
        .unwrap();
        if let Some([sources, destinations]) = story.neighbors.clone() {
            file.definitions(&[Definition::Neighbors(Neighbors { communicator: 1, sources, destinations })]).unwrap();
        }
        for number in 0..size {
            let members = vec![Span { first: number as i32, count: 1, step: 1 }];
            file.definitions(&[Definition::Group(Group { number, members })]).unwrap();
        }
        for (number, thread) in (0..).zip([&story].into_iter().chain(&story.beside)) {
            write_thread(&mut file, number, thread, like.pid + number);
        }
        folder.write(&format!("rank-{rank:04}.ovh"), &file.into_inner());
    }
}

impl Story {
    fn has(&self, call: Call) -> bool {
        self.over.iter().any(|(over, _)| over.call == call.number())
    }
}

fn write_thread(file: &mut FileWriter<Vec<u8>>, thread: u32, story: &Story, tid: u32) {
    let over = story.over.iter().map(|(call, _)| call);
    let calls: Vec<Signature> = over.chain(&story.open).chain(&story.asks).copied().collect();
    // Each signature has two numbers; the second is for a request that is complete at once.
    let number = |at: usize| 1 + 2 * at as u32;
    let signatures: Vec<Signature> =
        calls.iter().enumerate().map(|(at, call)| Signature { number: number(at), ..*call }).collect();
    let took = (story.took * SECOND).max(1_000);
    let at = 2 * SECOND + story.took * SECOND * story.over.len() as u64;
    let last = u64::from(number(calls.len().max(1) - 1));
    let [polled, in_mpi] = story.polled.map(|seconds| seconds * SECOND);
    let end = BEGIN + at + polled.max(50);
    let polls = Polls { start: BEGIN + at, end, count: 5, total: in_mpi, signature: last, ..Polls::default() };
    let asks = story.asks.map(|_| ThreadBlock { polls, ..blank_block() });
    // The engine was still turning at the end.
    let turning = (story.turned * SECOND).max(SECOND / 2);
    let in_call = |at| ThreadBlock { last_entry: BEGIN + at + turning, ..in_call(last, at) };
    let mut block = story.open.map(|_| in_call(at)).or(asks).unwrap_or_else(blank_block);
    block.ledger[INSIDE].calls.ticks = story.turned * SECOND;
    block.ledger[INSIDE].calls.entries = 1000 * story.turned;
    block.ledger[INSIDE].calls.productive = story.moved;
    let (mut words, mut last) = (Vec::new(), BEGIN);
    for (at, (_, details)) in story.over.iter().enumerate() {
        let start = BEGIN + 1_000_000 + (1_000_000 + took) * at as u64;
        last = call(&mut words, last, number(at), start, took);
        words.extend(details);
    }
    file.thread(thread, &ThreadBlock { tid, ..block }).unwrap();
    file.signatures(thread, 0, &signatures).unwrap();
    file.events(thread, 0, BEGIN, &words).unwrap();
}
