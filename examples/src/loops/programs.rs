//! The programs that have the loops, and how they are run.

use crate::machine::{target, workspace};
use crate::mpi::Mpi;
use crate::program::compile;
use crate::run::Case;

/// A program with loops, in `tests/programs/loops`.
pub struct Loop {
    /// Its name.
    pub program: &'static str,
    ranks: u32,
    /// What its traces are asked: analyses with their arguments.
    pub asked: &'static [&'static [&'static str]],
}

/// All of them.
pub const LOOPS: &[Loop] = &[
    Loop { program: "smb_overhead", ranks: 2, asked: &[&["overlap", "--rank", "0"]] },
    Loop { program: "osu_latency", ranks: 2, asked: &[&["model"], &["fanout"]] },
    Loop { program: "osu_bandwidth", ranks: 2, asked: &[&["model"]] },
    Loop { program: "osu_collectives", ranks: 2, asked: &[&["report", "--by", "collective"]] },
    Loop { program: "osu_overlap", ranks: 2, asked: &[&["overlap"]] },
    Loop { program: "imb_overlap", ranks: 2, asked: &[&["overlap"]] },
];

/// The sizes of messages, and how many times the iterations of the originals.
#[derive(Clone, Copy, Debug)]
pub struct LoopSizes {
    /// The smallest.
    pub least: u64,
    /// The largest.
    pub most: u64,
    /// Times the iterations of the originals.
    pub effort: f64,
}

impl Loop {
    /// The program, built.
    pub fn case<'a>(&self, mpi: &'a Mpi, sizes: &LoopSizes) -> Case<'a> {
        let source = workspace().join("examples/tests/programs/loops").join(self.program).with_extension("c");
        let path = target().join("programs").join(mpi.built_as).join("loops").join(self.program);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("the target folder can be written");
        compile(mpi, &source, &path, &[]);
        let arguments = [sizes.least.to_string(), sizes.most.to_string(), sizes.effort.to_string()];
        Case { mpi, path, arguments: arguments.into(), ranks: self.ranks, variables: Vec::new() }
    }
}
