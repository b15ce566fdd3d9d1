//! Runs of calls made by hand, and their accounts.

use std::path::Path;
use std::process::{Command, Output};
use std::thread;

use model::Run;
use model::matching::{Account, Follow, WaitKey, WaitState, WaitSum, settled};
use model::roles::SpottedSite;
use traces::calls::Call;
use traces::definitions::{Definition, Members, Occasion, SameClock, Span};
use traces::folder::file_name;
use traces::progress::{self, Polls};
use traces::record::{self, Arrived, Fate, RecordKind, Sample, Unsampled};
use traces::signature::{STARTS, Signature, peer, tag};
use traces::write::{FileWriter, blank_block, call};

use super::{BEGIN, Folder, definitions, header, signature};

/// Calls of one rank. Its world is communicator 1, and all ranks share a clock.
#[derive(Default)]
pub struct Calls {
    signatures: Vec<Signature>,
    pub words: Vec<u64>,
    last: u64,
    recorded: Option<Vec<Span>>,
    within: u64,
    /// Begin of each page but the first: word index, tick before it, and the next request's number.
    pages: Vec<(usize, u64, u64)>,
    /// Definitions in addition to those that every rank has.
    more: Vec<Definition>,
}

impl Calls {
    /// Declares that only these ranks were recorded.
    pub fn recorded_with(mut self, ranks: &[i32]) -> Calls {
        self.recorded = Some(ranks.iter().map(|rank| Span { first: *rank, count: 1, step: 1 }).collect());
        self
    }

    /// Adds definitions.
    pub fn defines(mut self, more: Vec<Definition>) -> Calls {
        self.more = more;
        self
    }

    /// Puts the rank on a clock of its own, equal to the first one's within this many nanoseconds.
    pub fn off_by(mut self, within: u64) -> Calls {
        self.within = within;
        self
    }

    /// Begins the next page, after `requests` requests.
    pub fn page(mut self, requests: u64) -> Calls {
        self.pages.push((self.words.len(), self.last.max(BEGIN), requests));
        self
    }

    /// Begins the page with an invalid word, so that the rest of it cannot be read.
    pub fn damaged(mut self) -> Calls {
        self.words.push(0xfd);
        self
    }

    /// Adds a call of `duration` nanoseconds, `start` nanoseconds after the recording's begin.
    pub fn call(mut self, signature: Signature, start: u64, duration: u64) -> Calls {
        // Each signature has two numbers; the second is for a request that is complete at once.
        let number = 1 + 2 * self.signatures.len() as u32;
        self.signatures.push(Signature { number, ..signature });
        self.last = call(&mut self.words, self.last.max(BEGIN), number, BEGIN + start, duration);
        self
    }

    /// Adds unsuccessful tests directly after the previous call, with the first call's number.
    pub fn polls(mut self, polls: Polls) -> Calls {
        let (start, end) = (self.last, self.last + polls.end);
        self.words.extend(progress::polls(&Polls { start, end, signature: 1, ..polls }, 0));
        self.last = end;
        self
    }

    /// Samples the thread at a site, `at` nanoseconds after the recording's begin.
    pub fn sample(mut self, site: u32, periods: u64, at: u64) -> Calls {
        let last = self.last.max(BEGIN);
        self.last = BEGIN + at;
        self.words.extend(Sample { site, periods }.words(self.last - last));
        self
    }

    /// Has this number of periods of processor time end inside the call.
    pub fn sampled(mut self, periods: u64) -> Calls {
        self.words.push(record::sampled(periods));
        self
    }

    /// Some ended without a sample.
    pub fn unsampled(mut self, periods: Unsampled) -> Calls {
        self.words.push(periods.word());
        self
    }

    /// The call completed the request `age` begins back, its own begin included.
    pub fn completed(mut self, age: u64) -> Calls {
        self.words.push(record::requests(RecordKind::Completed, 1, age));
        self
    }

    /// The program gave up the request `age` begins back.
    pub fn freed(mut self, age: u64) -> Calls {
        self.words.push(record::requests(RecordKind::Freed, 1, age));
        self
    }

    /// The call started the persistent request `age` numbers back.
    pub fn started(mut self, age: u64) -> Calls {
        self.words.push(record::requests(RecordKind::Started, 1, age));
        self
    }

    /// The call received this message.
    pub fn got(mut self, source: i32, bytes: u64) -> Calls {
        self.words.extend(Arrived { source, tag: 5, bytes, fate: Fate::Whole }.words());
        self
    }

    /// The completed request had been cancelled.
    pub fn cancelled(mut self) -> Calls {
        let arrived = Arrived { source: peer::ANY, tag: tag::ANY, bytes: 0, fate: Fate::Cancelled };
        self.words.extend(arrived.words());
        self
    }

    pub fn write(self, folder: &Folder, rank: u32, size: u32) {
        let mut file = FileWriter::begin(Vec::new(), header(rank, size)).unwrap();
        file.thread(0, &blank_block()).unwrap();
        file.definitions(&definitions(size, rank as i32)).unwrap();
        let local = vec![Span { first: 0, count: size, step: 1 }];
        file.definitions(&[Definition::Members(Members { communicator: 1, local, remote: Vec::new() })]).unwrap();
        file.definitions(&self.recorded.map(Definition::Recorded).into_iter().collect::<Vec<_>>()).unwrap();
        file.definitions(&self.more).unwrap();
        if rank > 0 {
            let same = |when| Definition::SameClock(SameClock { when, peer: 0, within: self.within });
            file.definitions(&[Occasion::Init, Occasion::Finalize].map(same)).unwrap();
        }
        file.signatures(0, 0, &self.signatures).unwrap();
        let mut pages = vec![(0, BEGIN, 0)];
        pages.extend(self.pages);
        let ends = pages.iter().skip(1).map(|page| page.0).chain([self.words.len()]);
        for (sequence, (&(from, base, requests), to)) in pages.iter().zip(ends).enumerate() {
            file.events_after((0, sequence as u32), base, requests, &self.words[from..to]).unwrap();
        }
        folder.write(&file_name(0, rank), &file.into_inner());
    }
}

/// Writes a rank whose threads make calls (thread, begin, end), in nanoseconds, each of the signature of its thread.
pub fn write_threads(folder: &Folder, rank: u32, of: impl Fn(u32) -> Signature, calls: &[(u32, u64, u64)]) {
    let mut file = FileWriter::begin(Vec::new(), header(rank, 2)).unwrap();
    let all = Members { communicator: 1, local: vec![Span { first: 0, count: 2, step: 1 }], remote: Vec::new() };
    let mut definitions = definitions(2, rank as i32);
    definitions.push(Definition::Members(all));
    let same = |when| Definition::SameClock(SameClock { when, peer: 0, within: 0 });
    definitions.extend([Occasion::Init, Occasion::Finalize].map(same).into_iter().filter(|_| rank > 0));
    file.definitions(&definitions).unwrap();
    for thread in 0..=calls.iter().map(|call| call.0).max().unwrap() {
        let (mut words, mut last) = (Vec::new(), BEGIN);
        for (_, begin, end) in calls.iter().filter(|call| call.0 == thread) {
            last = call(&mut words, last, 1, BEGIN + begin, end - begin);
        }
        file.thread(thread, &blank_block()).unwrap();
        file.signatures(thread, 0, &[Signature { number: 1, ..of(thread) }]).unwrap();
        file.events(thread, 0, BEGIN, &words).unwrap();
    }
    folder.write(&file_name(0, rank), &file.into_inner());
}

/// A run of these ranks, from rank 0 on; of `size` if the others left no file.
pub fn made(ranks: Vec<Calls>, size: u32) -> (Folder, Run) {
    let folder = Folder::new();
    ranks.into_iter().zip(0..).for_each(|(calls, rank)| calls.write(&folder, rank, size));
    let run = Run::load(&folder.0).unwrap();
    (folder, run)
}

pub fn send(function: Call, to: i32, bytes: u64) -> Signature {
    signature(0, function, to, bytes, 0)
}

/// A receive that begins a request, with room for 999 bytes.
pub fn receive(from: i32) -> Signature {
    let tag = if from == peer::ANY { tag::ANY } else { 5 };
    Signature { flags: STARTS, tag, ..signature(0, Call::Irecv, from, 0, 999) }
}

pub fn on_nobody(function: Call) -> Signature {
    signature(0, function, peer::NONE, 0, 0)
}

/// Wait state, waiting rank and function, causing rank and function, and nanoseconds.
pub fn told<'r>(run: &'r Run, account: &Account) -> Vec<(WaitState, u32, &'r str, u32, &'r str, i64)> {
    let function = |place: SpottedSite| run.call_sites()[place.number()].function.as_str();
    let row = |(key, sum): (&WaitKey, &WaitSum)| {
        let (waiter, cause) = (key.waiter, key.cause);
        (key.state, waiter.rank, function(waiter.place), cause.rank, function(cause.place), sum.time)
    };
    let mut rows: Vec<_> = account.waits.sums.iter().map(row).collect();
    rows.sort();
    rows
}

/// Messages, sent and received bytes by sender and receiver.
pub fn moved(account: &Account) -> Vec<((u32, u32), [u64; 3])> {
    let mut moved: Vec<_> =
        account.pairs.iter().map(|(pair, sums)| (*pair, [sums.messages, sums.sent, sums.received])).collect();
    moved.sort();
    moved
}

pub fn is_whole(account: &Account) -> bool {
    account.unreceived.is_empty() && account.unsent.is_empty() && account.elsewhere == 0
}

pub fn account(run: &Run, follow: Follow) -> Account {
    settled(run, follow).account
}

/// Runs `work` on a single processor.
pub fn on_one_processor<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let alone = || {
        // SAFETY: sets of processors are arrays of bits; this thread's is set to the one it runs on.
        unsafe {
            let mut processors: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(libc::sched_getcpu() as usize, &mut processors);
            assert_eq!(libc::sched_setaffinity(0, size_of_val(&processors), &processors), 0);
        }
        assert_eq!(thread::available_parallelism().unwrap().get(), 1);
        work()
    };
    thread::scope(|scope| scope.spawn(alone).join().unwrap())
}

pub fn command(folder: &Path, name: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_overhear")).arg(name).arg(folder).output().unwrap()
}
