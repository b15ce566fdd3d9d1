//! The profile format of pprof, with the field numbers of its `proto/profile.proto`, packed by gzip.

use std::collections::HashMap;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;

use metrics::paths::{PathSums, RunPaths};
use model::Run;

#[derive(Clone, PartialEq, Message)]
struct Profile {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    sample: Vec<Sample>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
    /// Index of the name of the figure to begin with.
    #[prost(int64, tag = "14")]
    default_sample_type: i64,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct ValueType {
    #[prost(int64, tag = "1")]
    kind: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    /// The innermost function first.
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
    #[prost(message, repeated, tag = "3")]
    label: Vec<Label>,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Label {
    #[prost(int64, tag = "1")]
    key: i64,
    #[prost(int64, tag = "3")]
    num: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<Line>,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Line {
    #[prost(uint64, tag = "1")]
    function_id: u64,
    #[prost(int64, tag = "2")]
    line: i64,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Function {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
    #[prost(int64, tag = "3")]
    system_name: i64,
    #[prost(int64, tag = "4")]
    filename: i64,
}

/// A profile whose strings, functions and places are numbered as they come.
#[derive(Default)]
struct Numbered {
    profile: Profile,
    strings: HashMap<String, i64>,
    functions: HashMap<(i64, i64), u64>,
    locations: HashMap<(u64, i64), u64>,
}

/// A figure, its unit, and how to get it.
type FigureOf = (&'static str, &'static str, fn(&PathSums) -> i64);

const FIGURES: [FigureOf; 5] = [
    ("calls", "count", |sums| sums.calls as i64),
    ("time", "nanoseconds", |sums| sums.time),
    ("waiting", "nanoseconds", |sums| sums.waited),
    ("bytes", "bytes", |sums| sums.bytes as i64),
    // Only of sampled runs.
    ("computing", "nanoseconds", |sums| sums.computed),
];

pub fn write(run: &Run, paths: &RunPaths, ends: &[u32], out: &mut impl Write) -> io::Result<()> {
    let figures = if paths.is_sampled { &FIGURES[..] } else { &FIGURES[..FIGURES.len() - 1] };
    let mut numbered = Numbered::default();
    // The first string is empty by definition.
    numbered.string("");
    for (name, unit, _) in figures {
        let sample_type = ValueType { kind: numbered.string(name), unit: numbered.string(unit) };
        numbered.profile.sample_type.push(sample_type);
    }
    numbered.profile.default_sample_type = numbered.string("time");
    let rank_key = numbered.string("rank");
    for end in ends {
        let location_id = numbered.stack(paths, *end);
        for (rank, sums) in run.ranks.iter().zip(&paths.own[*end as usize]).filter(|(_, sums)| sums.is_something()) {
            let num = rank.number().map_or(-1, i64::from);
            let value = figures.iter().map(|(_, _, figure)| figure(sums)).collect();
            let sample = Sample { location_id: location_id.clone(), value, label: vec![Label { key: rank_key, num }] };
            numbered.profile.sample.push(sample);
        }
    }
    let mut packed = GzEncoder::new(out, Compression::default());
    packed.write_all(&numbered.profile.encode_to_vec())?;
    packed.finish().map(drop)
}

impl Numbered {
    fn string(&mut self, text: &str) -> i64 {
        let table = &mut self.profile.string_table;
        *self.strings.entry(text.into()).or_insert_with(|| {
            table.push(text.into());
            table.len() as i64 - 1
        })
    }

    /// The places of a path, the innermost first: each function with the line where it calls the next.
    fn stack(&mut self, paths: &RunPaths, call: u32) -> Vec<u64> {
        let (mut line, mut places) = (0, Vec::new());
        for node in paths.tree.upwards(Some(call)) {
            let node = &paths.tree.nodes[node as usize];
            let function = self.function(&node.function, &node.file);
            places.push(self.location(function, line));
            line = node.site.rsplit_once(':').and_then(|(_, line)| line.parse().ok()).unwrap_or(0);
        }
        places
    }

    fn function(&mut self, name: &str, file: &str) -> u64 {
        let (name, filename) = (self.string(name), self.string(file));
        let list = &mut self.profile.function;
        *self.functions.entry((name, filename)).or_insert_with(|| {
            let id = list.len() as u64 + 1;
            list.push(Function { id, name, system_name: name, filename });
            id
        })
    }

    fn location(&mut self, function_id: u64, line: i64) -> u64 {
        let list = &mut self.profile.location;
        *self.locations.entry((function_id, line)).or_insert_with(|| {
            let id = list.len() as u64 + 1;
            list.push(Location { id, line: vec![Line { function_id, line }] });
            id
        })
    }
}
