//! A condition on B for `--fail-if`, such as `MPI_Allreduce.max>+10%`.
//!
//! ```text
//! [[TABLE:]ROW.]FIGURE > or < AMOUNT
//! ```
//!
//! `FIGURE` is the key of a column, with or without its unit, or its heading. `ROW` is the name of a row, or a part of
//! it. With a sign, `AMOUNT` bounds the change: `+10%` of A, `+5ms` more than A. Without one it bounds B itself: `2ms`,
//! `50`.

use std::str::FromStr;

use super::joined::Comparison;
use super::run_figures::FigureName;
use super::{noise, run_figures};
use model::error::Error;
use tables::Unit;
use tables::suggest::near;

#[derive(Clone, PartialEq, Debug)]
pub struct Threshold {
    text: String,
    table: Option<String>,
    row: Option<String>,
    figure: String,
    is_above: bool,
    amount: f64,
    kind: Amount,
    /// True if the amount is a share of 100 and no change.
    is_share: bool,
}

/// The figure that an amount bounds.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Amount {
    /// The change from A to B, in percent of A.
    Percent,
    /// The change from A to B, in the figure's unit.
    Difference,
    /// B itself.
    Value,
}

/// Units of amounts, and their factor to the unit of the figure.
const UNITS: [(&str, f64); 9] = [
    ("ms", 1e-3),
    ("us", 1e-6),
    ("µs", 1e-6),
    ("ns", 1e-9),
    ("s", 1.0),
    ("GiB", 1_073_741_824.0),
    ("MiB", 1_048_576.0),
    ("KiB", 1024.0),
    ("B", 1.0),
];

impl FromStr for Threshold {
    type Err = String;

    fn from_str(text: &str) -> Result<Threshold, String> {
        let help = || {
            format!(
                "'{text}' is not a condition; write [ROW.]FIGURE>AMOUNT, such as MPI_Allreduce.max>+10%, wall_time>+5ms or empty_percent>50"
            )
        };
        let at = text.find(['>', '<']).ok_or_else(help)?;
        let (left, amount) = (text[..at].trim(), text[at + 1..].trim());
        // A call site, `file:line`, has a colon, too.
        let of_table = left.split_once(':').filter(|(table, _)| run_figures::TABLES.contains(&table.trim()));
        let (table, left) = of_table.map_or((None, left), |(table, left)| (Some(table.trim().to_string()), left));
        let (row, figure) =
            left.rsplit_once('.').map_or((None, left), |(row, figure)| (Some(row.trim().into()), figure));
        let is_change = amount.starts_with(['+', '-']);
        let is_share = amount.ends_with('%') && !is_change;
        let (number, kind) = match amount.strip_suffix('%').filter(|_| is_change) {
            Some(number) => (number.trim().parse(), Amount::Percent),
            None => {
                let amount = amount.strip_suffix('%').unwrap_or(amount);
                let unit = UNITS.iter().find_map(|(unit, factor)| Some((amount.strip_suffix(unit)?, *factor)));
                let (number, factor) = unit.unwrap_or((amount, 1.0));
                let number = number.trim().parse().map(|number: f64| number * factor);
                (number, if is_change { Amount::Difference } else { Amount::Value })
            }
        };
        let amount = number.ok().filter(|number: &f64| number.is_finite()).ok_or_else(help)?;
        let figure = figure.trim().to_string();
        if figure.is_empty() {
            return Err(help());
        }
        let is_above = text[at..].starts_with('>');
        Ok(Threshold { text: text.into(), table, row, figure, is_above, amount, kind, is_share })
    }
}

impl Threshold {
    /// One line for each figure that exceeds the threshold. Fails if the threshold names no figure of the runs.
    pub fn exceeded(&self, all: &[Comparison]) -> Result<Vec<String>, Error> {
        let mut meant: Vec<&Comparison> = all.iter().filter(|figure| self.means(&figure.name)).collect();
        if meant.is_empty() {
            meant = all.iter().filter(|figure| self.means_in_a(figure)).collect();
        }
        if meant.is_empty() {
            return Err(self.unknown(all));
        }
        if self.is_share && meant.iter().any(|figure| figure.name.unit != Unit::Percent) {
            let text = &self.text;
            return Err(Error::Setting(format!(
                "'{text}': {} is no share of 100. For a change in percent of A, write the sign: +10% or -10%",
                self.figure
            )));
        }
        Ok(meant.into_iter().filter_map(|figure| self.judge(figure)).collect())
    }

    fn means(&self, name: &FigureName) -> bool {
        let bare = name.unit.bare(&name.figure);
        let is_figure = [name.figure.as_str(), bare, name.heading.as_str()].contains(&self.figure.as_str());
        let is_table = self.table.as_deref().is_none_or(|table| table == name.table);
        is_figure && is_table && self.is_row(name)
    }

    /// True if the row has this name in A alone.
    fn means_in_a(&self, figure: &Comparison) -> bool {
        let row = figure.row_of_a.clone();
        row.is_some_and(|row| self.means(&FigureName { row, ..figure.name.clone() }))
    }

    /// True if the threshold's row fits. A threshold without a row fits facts, and figures of the engine, which are rows of
    /// their table.
    fn is_row(&self, name: &FigureName) -> bool {
        let Some(row) = &self.row else { return name.row.is_empty() || name.table == run_figures::ENGINE };
        is_called(&name.row, row)
    }

    fn judge(&self, figure: &Comparison) -> Option<String> {
        let b = figure.mean_b()?;
        let value = match self.kind {
            Amount::Value => b,
            Amount::Difference => figure.difference()?,
            Amount::Percent => 100.0 * (figure.ratio().unwrap_or(f64::INFINITY) - 1.0),
        };
        // A figure that is 0 on both sides has not changed, although it has no ratio.
        let is_nothing = b == 0.0 && figure.mean_a() == Some(0.0);
        let is_beyond = if self.is_above { value > self.amount } else { value < self.amount };
        let is_noise = self.kind != Amount::Value && figure.test.is_some_and(|test| !noise::differs(&test));
        let name = [figure.name.row.join(" "), figure.name.figure.clone()].join(" ");
        let [a, b] = [figure.value(figure.mean_a()), figure.value(figure.mean_b())];
        let said = format!("{}: {}: A {a}, B {b}", self.text, name.trim());
        (is_beyond && !is_noise && !(is_nothing && self.kind == Amount::Percent)).then_some(said)
    }

    /// The error for a threshold that names no figure, with the figures that it could name.
    fn unknown(&self, all: &[Comparison]) -> Error {
        let is_row = |figure: &&Comparison| self.is_row(&figure.name);
        let mut names: Vec<&str> = all.iter().filter(is_row).map(|figure| figure.name.figure.as_str()).collect();
        names.sort();
        names.dedup();
        let bare = all.iter().filter(is_row).map(|figure| figure.name.unit.bare(&figure.name.figure));
        let meant = near(&self.figure, bare).map_or(String::new(), |name| format!(" Did you mean {name}?"));
        let instead = match (&self.row, names.as_slice()) {
            (Some(row), []) => format!("Neither side has a row called {row}."),
            (Some(row), names) => format!("{row} has {}.", names.join(", ")),
            (None, names) => format!("The run as a whole has {}; for a row's, write ROW.FIGURE.", names.join(", ")),
        };
        Error::Setting(format!("--fail-if '{}': no such figure.{meant} {instead}", self.text))
    }
}

/// True if `asked` names the row: by the whole name, adjacent parts of it, or the line of its call site.
fn is_called(row: &[String], asked: &str) -> bool {
    let in_parentheses = format!("({asked})");
    let spans = (0..row.len()).flat_map(|from| (from + 1..=row.len()).map(move |to| from..to));
    spans.into_iter().any(|span| row[span].join(" ") == asked) || row.iter().any(|part| part.ends_with(&in_parentheses))
}

#[cfg(test)]
mod tests {
    use super::{Amount, Threshold};

    fn read(text: &str) -> Threshold {
        text.parse().unwrap()
    }

    #[test]
    fn a_condition_says_which_figure_and_what_of_it() {
        let of_row = read("MPI_Allreduce.max>+10%");
        assert_eq!((of_row.row.as_deref(), of_row.figure.as_str()), (Some("MPI_Allreduce"), "max"));
        assert_eq!((of_row.is_above, of_row.amount, of_row.kind), (true, 10.0, Amount::Percent));
        let of_run = read("wall_time < -5 ms");
        assert_eq!(
            (of_run.row, of_run.is_above, of_run.amount, of_run.kind),
            (None, false, -0.005, Amount::Difference)
        );
        let itself = read("sites:sort.c:12.time_mean_s>2us");
        assert_eq!((itself.table.as_deref(), itself.row.as_deref()), (Some("sites"), Some("sort.c:12")));
        assert_eq!((itself.amount, itself.kind), (2e-6, Amount::Value));
        assert_eq!((read("empty_percent>50%").amount, read("empty_percent>50").kind), (50.0, Amount::Value));
    }

    #[test]
    fn what_is_no_condition_says_how_one_is_written() {
        for text in ["", "max", "max>", ">5", "max>fast", "MPI_Send.>1", "max=5", "max>+nan%"] {
            let said = text.parse::<Threshold>().unwrap_err();
            assert!(said.contains("MPI_Allreduce.max>+10%"), "{text}: {said}");
        }
    }
}
