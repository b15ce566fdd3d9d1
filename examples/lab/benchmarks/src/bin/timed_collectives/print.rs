//! The result: a line for each function, size and number of ranks, or JSON.

use benchmarks::statistics::{disturbed, interval, mean, median, sorted};
use serde_json::{Value, json};

use crate::Arguments;
use crate::calls::{Buffers, Group};
use crate::functions::Function;
use crate::nonblocking::{Measured, Part, Plan, Scheme};
use crate::windows::Window;

#[derive(Default)]
pub struct Results {
    blocking: Vec<BlockingRow>,
    nonblocking: Vec<NonblockingRow>,
}

struct Place {
    function: &'static Function,
    message: usize,
    buffer: usize,
    ranks: usize,
}

struct BlockingRow {
    place: Place,
    windows: Vec<Window>,
}

struct NonblockingRow {
    place: Place,
    plan: Plan,
    measured: Measured,
}

impl Place {
    fn new(function: &'static Function, buffers: &Buffers, group: Group) -> Place {
        Place { function, message: buffers.message_bytes(), buffer: buffers.bytes(), ranks: group.size }
    }

    fn as_json(&self) -> Value {
        json!({
            "function": self.function.mpi_name(),
            "message_bytes": self.message,
            "buffer_bytes": self.buffer,
            "ranks": self.ranks,
        })
    }

    fn in_words(&self) -> String {
        format!("{:>15} {:>8} B {:>5}", self.function.mpi_name(), self.message, self.ranks)
    }
}

impl Results {
    /// Adds a row for a blocking function.
    pub fn blocking(&mut self, function: &'static Function, buffers: &Buffers, group: Group, windows: Vec<Window>) {
        self.blocking.push(BlockingRow { place: Place::new(function, buffers, group), windows });
    }

    /// Adds a row for a nonblocking function.
    pub fn nonblocking(
        &mut self,
        function: &'static Function,
        buffers: &Buffers,
        group: Group,
        plan: Plan,
        measured: Measured,
    ) {
        self.nonblocking.push(NonblockingRow { place: Place::new(function, buffers, group), plan, measured });
    }

    /// Prints all.
    pub fn print(&self, arguments: &Arguments, clock_error: f64) {
        let figure = if arguments.plain { mean } else { median };
        if arguments.json {
            let document = json!({
                "form": if arguments.plain { "plain" } else { "robust" },
                "clock_error_s": clock_error,
                "blocking": self.blocking.iter().map(|row| row.as_json(figure)).collect::<Vec<_>>(),
                "nonblocking": self.nonblocking.iter().map(|row| row.as_json(figure)).collect::<Vec<_>>(),
            });
            println!("{document:#}");
            return;
        }
        println!("clocks of all ranks are known to {} µs", micro(clock_error));
        if !self.blocking.is_empty() {
            println!(
                "       function    message ranks  µs: rank min      mean    median       max  first to last  missed disturbed"
            );
            self.blocking.iter().for_each(|row| row.print(figure));
        }
        if !self.nonblocking.is_empty() {
            println!(
                "       function    message ranks scheme tests   µs: t_b     begin      test      wait  overhead  hidden  missed disturbed"
            );
            self.nonblocking.iter().for_each(|row| row.print(figure));
        }
    }
}

impl BlockingRow {
    /// Windows that count: those that no rank was late for, or all where there are none.
    fn counted(&self) -> Vec<&Window> {
        let counted: Vec<&Window> = self.windows.iter().filter(|window| !window.is_missed).collect();
        if counted.is_empty() { self.windows.iter().collect() } else { counted }
    }

    fn missed(&self) -> usize {
        self.windows.iter().filter(|window| window.is_missed).count()
    }

    /// Least, mean, median and most over the ranks, each over all windows that count.
    fn of_ranks(&self, figure: fn(&[f64]) -> f64) -> [f64; 4] {
        let each: [fn(&[f64]) -> f64; 4] =
            [|taken| sorted(taken)[0], mean, median, |taken| *sorted(taken).last().unwrap_or(&f64::NAN)];
        each.map(|of_ranks| figure(&self.of_windows(|window| of_ranks(&window.taken()))))
    }

    fn of_windows(&self, of: impl Fn(&Window) -> f64) -> Vec<f64> {
        self.counted().into_iter().map(of).collect()
    }

    fn as_json(&self, figure: fn(&[f64]) -> f64) -> Value {
        let mut row = self.place.as_json();
        let [least, mean, median, most] = self.of_ranks(figure);
        let whole = self.of_windows(Window::whole);
        let between = interval(&whole);
        let every = |of: &dyn Fn(&Window) -> f64| self.windows.iter().map(of).collect::<Vec<f64>>();
        let figures = json!({
            "rank_min_s": least,
            "rank_mean_s": mean,
            "rank_median_s": median,
            "rank_max_s": most,
            "first_to_last_s": figure(&whole),
            "first_to_last_least_s": between.map(|between| between.0),
            "first_to_last_most_s": between.map(|between| between.1),
            "skew_s": figure(&self.of_windows(Window::skew)),
            "missed_windows": self.missed(),
            "disturbed_windows": disturbed(&whole),
            "windows": {
                "first_to_last_s": every(&Window::whole),
                "rank_median_s": every(&|window| benchmarks::statistics::median(&window.taken())),
                "rank_max_s": every(&|window| window.taken().into_iter().fold(0.0, f64::max)),
                "missed": self.windows.iter().map(|window| window.is_missed).collect::<Vec<_>>(),
            },
        });
        extend(&mut row, figures);
        row
    }

    fn print(&self, figure: fn(&[f64]) -> f64) {
        let whole = self.of_windows(Window::whole);
        let [least, mean, median, most] = self.of_ranks(figure).map(micro);
        let (place, all, of) = (self.place.in_words(), micro(figure(&whole)), self.windows.len());
        let (missed, disturbed) = (self.missed(), disturbed(&whole));
        println!("{place} {least:>13} {mean:>9} {median:>9} {most:>9} {all:>14} {missed:>3}/{of:<3} {disturbed:>9}");
    }
}

impl NonblockingRow {
    fn of_parts(&self, of: impl Fn(&Part) -> f64) -> Vec<f64> {
        self.measured.parts.iter().map(of).collect()
    }

    fn overheads(&self) -> Vec<f64> {
        self.of_parts(|part| part.overhead(self.plan.scheme))
    }

    /// The share of the operation's time alone that does not cost the program anything, of 100.
    fn hidden(&self, figure: fn(&[f64]) -> f64) -> f64 {
        100.0 * (1.0 - figure(&self.overheads()) / figure(&self.measured.alone))
    }

    fn scheme(&self) -> &'static str {
        if self.plan.scheme == Scheme::Time { "time" } else { "work" }
    }

    fn as_json(&self, figure: fn(&[f64]) -> f64) -> Value {
        let mut row = self.place.as_json();
        let overheads = self.overheads();
        let between = interval(&overheads);
        let figures = json!({
            "scheme": self.scheme(),
            "test_every_bytes": self.plan.every,
            "tests": self.plan.tests(self.place.message),
            "blocking_s": self.measured.blocking,
            "alone_s": figure(&self.measured.alone),
            "begin_s": figure(&self.of_parts(|part| part.begin)),
            "test_s": figure(&self.of_parts(|part| part.test)),
            "wait_s": figure(&self.of_parts(|part| part.wait)),
            "overhead_s": figure(&overheads),
            "overhead_least_s": between.map(|between| between.0),
            "overhead_most_s": between.map(|between| between.1),
            "overhead_max_s": sorted(&overheads).last(),
            "hidden_percent": self.hidden(figure),
            "missed_windows": self.measured.missed,
            "windows": self.measured.windows,
            "disturbed_operations": disturbed(&overheads),
        });
        extend(&mut row, figures);
        row
    }

    fn print(&self, figure: fn(&[f64]) -> f64) {
        let overheads = self.overheads();
        let (place, scheme, tests) = (self.place.in_words(), self.scheme(), self.plan.tests(self.place.message));
        let blocking = micro(self.measured.blocking);
        let parts: [fn(&Part) -> f64; 3] = [|part| part.begin, |part| part.test, |part| part.wait];
        let [begin, test, wait] = parts.map(|of| micro(figure(&self.of_parts(of))));
        let (overhead, hidden) = (micro(figure(&overheads)), self.hidden(figure));
        let (missed, runs, disturbed) = (self.measured.missed, self.measured.windows, disturbed(&overheads));
        println!(
            "{place} {scheme:>6} {tests:>5} {blocking:>9} {begin:>9} {test:>9} {wait:>9} {overhead:>9} {hidden:>6.1}% {missed:>3}/{runs:<3} {disturbed:>9}"
        );
    }
}

fn extend(row: &mut Value, more: Value) {
    if let (Value::Object(row), Value::Object(more)) = (row, more) {
        row.extend(more);
    }
}

fn micro(seconds: f64) -> String {
    format!("{:.3}", seconds * 1e6)
}
