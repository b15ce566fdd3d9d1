//! Events that the system counts for a thread, by the names that perf gives them.

use wincode::{SchemaRead, SchemaWrite};

use crate::machine::UsageMoment;
use crate::suggest::instead;

/// An event, with the two numbers by which the system knows it (`linux/perf_event.h`).
#[derive(PartialEq, Eq, Debug)]
pub struct CounterEvent {
    pub name: &'static str,
    /// 0 for the processor's, 1 for the system's own.
    pub kind: u32,
    pub config: u64,
}

macro_rules! events {
    ($($kind:literal $config:literal $name:literal;)+) => {
        pub const EVENTS: &[CounterEvent] = &[$(CounterEvent { name: $name, kind: $kind, config: $config }),+];
    };
}

events! {
    0 0 "cycles";
    0 1 "instructions";
    0 2 "cache-references";
    0 3 "cache-misses";
    0 4 "branches";
    0 5 "branch-misses";
    0 7 "stalled-cycles-frontend";
    0 8 "stalled-cycles-backend";
    0 9 "ref-cycles";
    1 1 "task-clock";
    1 2 "page-faults";
    1 3 "context-switches";
    1 4 "cpu-migrations";
    1 5 "minor-faults";
    1 6 "major-faults";
}

/// The most events that are counted at once. Processors have some four to eight counters; beyond these they take turns.
const MOST: usize = 8;

/// The events of a list such as `instructions,cycles`, each once.
pub fn parse(list: &str) -> Result<Vec<&'static CounterEvent>, String> {
    let names: Vec<&str> = EVENTS.iter().map(|event| event.name).collect();
    let mut found: Vec<&CounterEvent> = Vec::new();
    for name in list.split(',') {
        let Some(event) = EVENTS.iter().find(|event| event.name == name) else {
            return Err(format!("there is no event {name}; {}", instead(name, &names, &names)));
        };
        if !found.contains(&event) {
            found.push(event);
        }
    }
    if found.len() > MOST { Err(format!("more than {MOST} events")) } else { Ok(found) }
}

/// An event that the user asked for.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct AskedEvent {
    pub name: String,
    /// Why it cannot be counted; empty if it is.
    pub problem: String,
}

/// What was counted for a thread so far.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct CounterReading {
    /// The occasion of the reading.
    pub moment: UsageMoment,
    /// The number of the thread in the trace.
    pub thread: u32,
    /// Time of the reading.
    pub ticks: u64,
    /// One for each event that is counted, in the order in which they were asked for.
    pub values: Vec<CounterValue>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, SchemaRead, SchemaWrite)]
pub struct CounterValue {
    pub value: u64,
    /// Nanoseconds of the thread's processor time since counting began, and the part in which the event had a counter.
    pub enabled: u64,
    pub running: u64,
}
