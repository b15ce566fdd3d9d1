//! The numbers of lines by which call sites may have moved, with how many sites of a file and a function may have moved as far.

use std::collections::HashMap;

use super::program_sites::ProgramSite;
use super::source_functions::SourceFunction;

/// Sites that may have moved by a number of lines, as a share of those that may have moved.
pub struct LineShifts {
    of_files: HashMap<String, ShiftCounts>,
    of_functions: HashMap<Vec<String>, ShiftCounts>,
}

#[derive(Default)]
struct ShiftCounts {
    sites: usize,
    by_shift: HashMap<i64, usize>,
}

impl LineShifts {
    /// Of functions that are paired by name. A site may have become any one with the same call.
    pub fn of<'s>(
        [a, b]: [&'s [ProgramSite]; 2],
        functions: impl Iterator<Item = (&'s SourceFunction<'s>, &'s SourceFunction<'s>)>,
    ) -> LineShifts {
        let mut shifts = LineShifts { of_files: HashMap::new(), of_functions: HashMap::new() };
        for (of_a, of_b) in functions {
            for one in of_a.sites.iter().map(|site| &a[*site]) {
                let fitting =
                    of_b.sites.iter().map(|site| &b[*site]).filter(|other| other.call.function == one.call.function);
                let mut possible: Vec<i64> = fitting.map(|other| shift(one, other)).collect();
                possible.sort_unstable();
                possible.dedup();
                if possible.is_empty() {
                    continue;
                }
                shifts.of_files.entry(of_a.file.into()).or_default().add(&possible);
                shifts.of_functions.entry(of_a.names.to_vec()).or_default().add(&possible);
            }
        }
        shifts
    }

    /// From 0 to 1, by how many sites of the function and of the file may have moved as far as these.
    pub fn support(&self, a: &ProgramSite, b: &ProgramSite) -> f64 {
        let shift = shift(a, b);
        let share = |counts: Option<&ShiftCounts>| counts.map_or(0.0, |counts| counts.share(shift));
        0.5 * (share(self.of_files.get(&a.source.file)) + share(self.of_functions.get(&a.source.functions)))
    }
}

impl ShiftCounts {
    fn add(&mut self, possible: &[i64]) {
        self.sites += 1;
        for shift in possible {
            *self.by_shift.entry(*shift).or_default() += 1;
        }
    }

    fn share(&self, shift: i64) -> f64 {
        self.by_shift.get(&shift).map_or(0.0, |count| *count as f64 / self.sites as f64)
    }
}

/// The lines by which a site has moved.
fn shift(a: &ProgramSite, b: &ProgramSite) -> i64 {
    b.source.line() as i64 - a.source.line() as i64
}
