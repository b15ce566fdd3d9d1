//! The file format of speedscope, <https://www.speedscope.app/file-format-schema.json>: stacks with weights, as profiles of one file.

use std::collections::HashMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::stack;
use metrics::paths::{PathSums, RunPaths};
use metrics::rank_programs;
use model::Run;

/// Functions by number. Those with one name and file are one, wherever they are called.
#[derive(Default)]
struct Functions {
    numbers: HashMap<(String, String), usize>,
    list: Vec<Value>,
}

pub fn write(run: &Run, paths: &RunPaths, ends: &[u32], out: &mut impl Write) -> io::Result<()> {
    let mut functions = Functions::default();
    let stacks: Vec<Vec<usize>> = ends.iter().map(|end| functions.stack(paths, *end)).collect();
    let mut profiles = Vec::new();
    if paths.is_sampled {
        profiles.push(profile("time computing and in MPI, all ranks", paths, ends, &stacks, PathSums::spent));
        profiles.push(profile("computing, all ranks", paths, ends, &stacks, |sums| sums.computed));
    }
    profiles.push(profile("time in MPI, all ranks", paths, ends, &stacks, |sums| sums.time));
    if paths.has_waits {
        profiles.push(profile("waiting, all ranks", paths, ends, &stacks, |sums| sums.waited));
    }
    let file = json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "name": rank_programs::command(run.first()),
        "exporter": concat!("overhear ", env!("CARGO_PKG_VERSION")),
        "activeProfileIndex": 0,
        "shared": { "frames": functions.list },
        "profiles": profiles,
    });
    serde_json::to_writer(out, &file).map_err(io::Error::other)
}

impl Functions {
    fn stack(&mut self, paths: &RunPaths, call: u32) -> Vec<usize> {
        let nodes = stack(paths, call).into_iter().map(|node| &paths.tree.nodes[node as usize]);
        nodes.map(|node| self.number(&node.function, &node.file)).collect()
    }

    fn number(&mut self, function: &str, file: &str) -> usize {
        let list = &mut self.list;
        *self.numbers.entry((function.into(), file.into())).or_insert_with(|| {
            let frame =
                if file.is_empty() { json!({"name": function}) } else { json!({"name": function, "file": file}) };
            list.push(frame);
            list.len() - 1
        })
    }
}

fn profile(name: &str, paths: &RunPaths, ends: &[u32], stacks: &[Vec<usize>], figure: fn(&PathSums) -> i64) -> Value {
    let weights: Vec<i64> = ends.iter().map(|end| figure(&PathSums::total(&paths.own[*end as usize]))).collect();
    let whole: i64 = weights.iter().sum();
    json!({
        "type": "sampled", "name": name, "unit": "nanoseconds", "startValue": 0, "endValue": whole,
        "samples": stacks, "weights": weights,
    })
}
