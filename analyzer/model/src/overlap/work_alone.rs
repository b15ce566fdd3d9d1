//! Finds the work of a level timed alone behind it, as Sandia's mpi_overhead does: as many iterations that make the same calls
//! except those that post, test and wait, such as a barrier.
//!
//! In: the functions of an iteration's other calls, and the calls behind the last completion. Out: the time of one iteration alone.

/// Maximum number of other calls of an iteration.
pub const MOST_CALLS: usize = 4;

/// The functions of an iteration's other calls, in order.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct OtherCalls {
    functions: [u16; MOST_CALLS],
    count: usize,
}

impl OtherCalls {
    pub fn push(&mut self, function: u16) {
        if let Some(free) = self.functions.get_mut(self.count) {
            *free = function;
        }
        self.count += 1;
    }

    /// Joins the calls of an iteration, from its first one on: the calls of `self` precede the post, those of `behind` follow it. `None` if there
    /// are none, or more than [`MOST_CALLS`].
    pub fn then(mut self, behind: &OtherCalls) -> Option<OtherCalls> {
        if self.count.max(behind.count) > MOST_CALLS {
            return None;
        }
        for function in &behind.functions[..behind.count] {
            self.push(*function);
        }
        (1..=MOST_CALLS).contains(&self.count).then_some(self)
    }
}

/// Equal iterations of other calls, while they are read.
#[derive(Default)]
pub struct WorkAlone {
    /// Signatures of the last calls, by their place in the iteration.
    signatures: [u32; MOST_CALLS],
    calls: usize,
    rounds: u64,
    /// Begin of the first and the last iteration.
    first: u64,
    last: u64,
    /// Mean ticks of an iteration, once enough are found.
    found: Option<f64>,
}

impl WorkAlone {
    /// Adds a call behind the completion. `asked` is the number of iterations that count.
    pub fn call(&mut self, of: &OtherCalls, asked: u64, (signature, function): (u32, u16), start: u64) {
        if self.found.is_some() {
            return;
        }
        let mut place = self.calls % of.count;
        let is_next = of.functions[place] == function;
        if !is_next || self.calls >= of.count && self.signatures[place] != signature {
            (self.calls, self.rounds, place) = (0, 0, 0);
            if of.functions[0] != function {
                return;
            }
        }
        if place == 0 {
            self.first = if self.calls == 0 { start } else { self.first };
            self.last = start;
            self.rounds += 1;
        }
        self.signatures[place] = signature;
        self.calls += 1;
        if self.rounds == asked && self.calls.is_multiple_of(of.count) && asked > 1 {
            self.found = Some(self.last.saturating_sub(self.first) as f64 / (asked - 1) as f64);
        }
    }

    pub fn found(&self) -> Option<f64> {
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Time of an iteration alone, if four of these are asked for; calls are given by signature and begin, and the function is the
    /// signature's first digit.
    fn alone(functions: &[u16], calls: &[(u32, u64)]) -> Option<f64> {
        let mut of = OtherCalls::default();
        for function in functions {
            of.push(*function);
        }
        let of = OtherCalls::default().then(&of)?;
        let mut alone = WorkAlone::default();
        for (signature, start) in calls {
            alone.call(&of, 4, (*signature, (*signature / 10) as u16), *start);
        }
        alone.found()
    }

    #[test]
    fn as_many_equal_iterations_are_work_alone_wherever_other_calls_stand() {
        let loops = [(11, 100), (11, 200), (11, 300), (11, 430)];
        assert_eq!(alone(&[1], &loops), Some(110.0));
        // Another function and the same one called elsewhere stand before and behind.
        assert_eq!(alone(&[1], &[&[(21, 0), (12, 50)], &loops[..], &[(12, 900)]].concat()), Some(110.0));
        assert_eq!(alone(&[1], &loops[..3]), None);
        assert_eq!(alone(&[2], &loops), None);
        assert_eq!(alone(&[], &loops), None);
        let parted = [&loops[..2], &[(12, 250)], &loops[2..]].concat();
        assert_eq!(alone(&[1], &parted), None);
    }

    #[test]
    fn an_iteration_of_two_calls_begins_with_the_first() {
        let of = |begin: u64| [(11, begin), (21, begin + 30)];
        let loops = [of(0), of(100), of(200), of(300)].concat();
        assert_eq!(alone(&[1, 2], &loops), Some(100.0));
        assert_eq!(alone(&[1, 2], &[&[(21, 0)], &loops[..]].concat()), Some(100.0));
        assert_eq!(alone(&[1, 2], &loops[..7]), None);
        assert_eq!(alone(&[2, 1], &loops[..7]), None);
    }
}
