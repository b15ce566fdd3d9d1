//! Hosts on simulated time: each is a future, and a queue of events lets them go on in the order of time.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use agree::board::Board;
use agree::{RecordedHost, Verdict};

use crate::random::Random;

/// Times that answers take.
#[derive(Clone, Copy, Debug)]
pub enum Store {
    /// Files on a busy parallel file system: 1 to 50 ms each, one in this many 2 s. Their names can be listed.
    Folder(u64),
    /// Names that a launcher keeps: 20 us each, one after another, and the way there and back.
    Launcher,
}

/// A host of a trial.
pub struct SimulatedHost {
    pub ranks: Vec<u32>,
    /// Time at which MPI_Init returns on the host.
    pub starts: Duration,
    /// Time at which the host dies, if it does.
    pub dies: Option<Duration>,
}

/// The outcome of a host.
#[derive(Clone)]
pub struct Outcome {
    pub verdict: Verdict,
    pub at: Duration,
    /// Number of texts written and looked for, and of listings.
    pub operations: u32,
}

/// State that all hosts share.
struct World {
    store: Store,
    now: Duration,
    random: Random,
    texts: HashMap<String, String>,
    speakers: BTreeSet<(u32, u32)>,
    /// Time at which the launcher has answered all.
    launcher_is_free: Duration,
    events: BinaryHeap<Reverse<(Duration, usize)>>,
    operations: Vec<u32>,
}

impl World {
    /// Time of the answer to a question asked now.
    fn answered(&mut self) -> Duration {
        match self.store {
            Store::Folder(slow) if self.random.below(slow) == 0 => self.now + Duration::from_secs(2),
            Store::Folder(_) => self.now + Duration::from_micros(1000 + self.random.below(49_000)),
            Store::Launcher => {
                let there = self.now + Duration::from_micros(20 + self.random.below(80));
                self.launcher_is_free = self.launcher_is_free.max(there) + Duration::from_micros(20);
                self.launcher_is_free + Duration::from_micros(20 + self.random.below(80))
            }
        }
    }
}

struct SimulatedBoard {
    world: Rc<RefCell<World>>,
    host: usize,
    starts: Duration,
}

/// Waits until a time.
struct Until {
    at: Duration,
    host: usize,
    world: Rc<RefCell<World>>,
    is_queued: bool,
}

impl Future for Until {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context) -> Poll<()> {
        let world = self.world.clone();
        let mut world = world.borrow_mut();
        if self.is_queued {
            return Poll::Ready(());
        }
        self.is_queued = true;
        world.events.push(Reverse((self.at, self.host)));
        Poll::Pending
    }
}

impl SimulatedBoard {
    fn until(&self, at: Duration) -> Until {
        Until { at, host: self.host, world: self.world.clone(), is_queued: false }
    }

    fn asked(&self) -> Until {
        let mut world = self.world.borrow_mut();
        world.operations[self.host] += 1;
        let at = world.answered();
        drop(world);
        self.until(at)
    }
}

impl Board for SimulatedBoard {
    // A text is there only when its writer gets the answer, and an answer is as old as its question: the worst case.
    async fn post(&self, name: &str, text: &str) -> bool {
        self.asked().await;
        let mut world = self.world.borrow_mut();
        if let Some((decider, speaker)) = name.strip_prefix("here.").and_then(|name| name.split_once('.')) {
            world.speakers.insert((decider.parse().unwrap(), speaker.parse().unwrap()));
        }
        let before = world.texts.insert(name.into(), text.into());
        assert!(before.is_none() || name == agree::board::LEFT, "{name} was written twice");
        true
    }

    async fn read(&self, name: &str) -> Option<String> {
        let text = self.world.borrow().texts.get(name).cloned();
        self.asked().await;
        text
    }

    async fn speakers(&self, decider: u32) -> Option<Vec<u32>> {
        if matches!(self.world.borrow().store, Store::Launcher) {
            return None;
        }
        let here = (decider, 0)..=(decider, u32::MAX);
        let speakers = self.world.borrow().speakers.range(here).map(|(_, speaker)| *speaker).collect();
        self.asked().await;
        Some(speakers)
    }

    fn now(&self) -> Duration {
        self.world.borrow().now - self.starts
    }

    async fn pause(&self, time: Duration) {
        let now = self.world.borrow().now;
        self.until(now + time).await;
    }
}

/// Runs all hosts to their end. `None` of those that died before.
pub fn run(hosts: &[SimulatedHost], size: u32, store: Store, seed: u64) -> Vec<Option<Outcome>> {
    let world = Rc::new(RefCell::new(World {
        store,
        now: Duration::ZERO,
        random: Random(seed),
        texts: HashMap::new(),
        speakers: BTreeSet::new(),
        launcher_is_free: Duration::ZERO,
        events: hosts.iter().enumerate().map(|(at, host)| Reverse((host.starts, at))).collect(),
        operations: vec![0; hosts.len()],
    }));
    let agreeing = |(at, host): (usize, &SimulatedHost)| {
        let (host_agrees, starts) = (RecordedHost::new(&host.ranks, size).unwrap(), host.starts);
        let board = SimulatedBoard { world: world.clone(), host: at, starts };
        Some(Box::pin(async move { host_agrees.agree(&board).await.unwrap() }))
    };
    let mut futures: Vec<_> = hosts.iter().enumerate().map(agreeing).collect();
    let mut outcomes = vec![None; hosts.len()];
    loop {
        let Some(Reverse((now, at))) = world.borrow_mut().events.pop() else { return outcomes };
        world.borrow_mut().now = now;
        if hosts[at].dies.is_some_and(|dies| now >= dies) {
            futures[at] = None;
        }
        let Some(future) = &mut futures[at] else { continue };
        if let Poll::Ready(verdict) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            let operations = world.borrow().operations[at];
            outcomes[at] = Some(Outcome { verdict, at: now, operations });
            futures[at] = None;
        }
    }
}
