//! The programs with the loops, and their command lines.

use crate::machine::{target, workspace};
use crate::mpi::Mpi;
use crate::program::compile;
use crate::run::Case;

/// A program with loops, in `tests/programs/loops`.
pub struct Loop {
    pub program: &'static str,
    ranks: u32,
    /// Analyses to run on its traces, with arguments.
    pub asked: &'static [&'static [&'static str]],
}

pub const LOOPS: &[Loop] = &[
    Loop { program: "smb_overhead", ranks: 2, asked: &[&["overlap", "--rank", "0"]] },
    Loop { program: "osu_latency", ranks: 2, asked: &[&["model"], &["fanout"]] },
    Loop { program: "osu_bandwidth", ranks: 2, asked: &[&["model"]] },
    Loop { program: "osu_one_sided", ranks: 2, asked: &[&["fanout"]] },
    Loop { program: "osu_collectives", ranks: 2, asked: &[&["report", "--by", "collective"]] },
    Loop { program: "osu_overlap", ranks: 2, asked: &[&["overlap"]] },
    Loop { program: "imb_overlap", ranks: 2, asked: &[&["overlap"]] },
];

/// Message sizes in bytes, and iterations.
#[derive(Clone, Copy, Debug)]
pub struct LoopSizes {
    /// Smallest message.
    pub least: u64,
    /// Largest message.
    pub most: u64,
    /// Iterations as a multiple of the original's.
    pub effort: f64,
}

impl Loop {
    /// Builds the program.
    pub fn case<'a>(&self, mpi: &'a Mpi, sizes: &LoopSizes) -> Case<'a> {
        let source = workspace().join("examples/tests/programs/loops").join(self.program).with_extension("c");
        let path = target().join("programs").join(mpi.built_as).join("loops").join(self.program);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("the target folder can be written");
        compile(mpi, &source, &path, &[]);
        let arguments = [sizes.least.to_string(), sizes.most.to_string(), sizes.effort.to_string()];
        Case { mpi, path, arguments: arguments.into(), ranks: self.ranks, variables: Vec::new() }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Printed {
    pub of: String,
    pub bytes: u64,
    pub figures: Vec<(String, f64)>,
}

impl Printed {
    /// Picks the loops' lines from an output.
    pub fn rows(output: &str) -> Vec<Printed> {
        output.lines().filter_map(Printed::read).collect()
    }

    fn read(line: &str) -> Option<Printed> {
        let mut words = line.split_whitespace();
        let (of, bytes) = (words.next()?.to_string(), words.next()?.parse().ok()?);
        let figure = |word: &str| {
            let (name, value) = word.split_once('=')?;
            Some((name.to_string(), value.parse().ok()?))
        };
        let figures: Option<Vec<(String, f64)>> = words.map(figure).collect();
        figures.filter(|figures| !figures.is_empty()).map(|figures| Printed { of, bytes, figures })
    }

    /// Panics if the line has no figure of this name.
    pub fn figure(&self, name: &str) -> f64 {
        let found = self.figures.iter().find(|(own, _)| own == name);
        found.unwrap_or_else(|| panic!("no {name} in {self:?}")).1
    }
}

#[cfg(test)]
mod tests {
    use super::Printed;

    #[test]
    fn a_line_of_figures_is_read_and_others_are_passed_over() {
        let rows = Printed::rows("osu_latency 8 latency_us=0.31\nwarning: 2 cores\n\nosu_bw 16 nothing\n");
        let [row] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!((row.of.as_str(), row.bytes, row.figure("latency_us")), ("osu_latency", 8, 0.31));
    }
}
