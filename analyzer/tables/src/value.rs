//! Values with units, and their text outside a table.

use std::cmp::Ordering;
use std::fmt;

use super::number::{decimal, significant, whole};
use super::scale::Scale;
use super::unit::Unit;

#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Text(String),
    Label(Label),
    Count(u64),
    /// A number that identifies something.
    Number(u64),
    Rank(WorldRank),
    Seconds(f64),
    Bytes(u64),
    /// A share in percent.
    Percent(f64),
    Ratio(f64),
    /// Unknown, or without meaning here.
    None,
}

/// A fixed name, with a key for programs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Label {
    /// The name for programs.
    pub key: &'static str,
    /// The name for people.
    pub name: &'static str,
    /// Number of levels by which text indents the name below others.
    pub depth: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct WorldRank {
    /// 0, or the number of the spawned world.
    pub world: u32,
    /// The rank's number in the world; a process that ended in MPI_Init has none.
    pub number: Option<u32>,
}

impl Value {
    pub fn in_unit(unit: Unit, number: f64) -> Value {
        match unit {
            Unit::Count => Value::Count(number.round() as u64),
            Unit::Bytes => Value::Bytes(number.round() as u64),
            Unit::Seconds => Value::Seconds(number),
            Unit::Percent => Value::Percent(number),
            _ => Value::Ratio(number),
        }
    }

    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Count(number) | Value::Number(number) | Value::Bytes(number) => Some(*number as f64),
            Value::Seconds(number) | Value::Percent(number) | Value::Ratio(number) => Some(*number),
            Value::Text(_) | Value::Label(_) | Value::Rank(_) | Value::None => None,
        }
    }

    /// The unit; `None` for an unknown value.
    pub fn unit(&self) -> Option<Unit> {
        match self {
            Value::Text(_) | Value::Label(_) => Some(Unit::Text),
            Value::Count(_) => Some(Unit::Count),
            Value::Number(_) => Some(Unit::Number),
            Value::Rank(_) => Some(Unit::Rank),
            Value::Seconds(_) => Some(Unit::Seconds),
            Value::Bytes(_) => Some(Unit::Bytes),
            Value::Percent(_) => Some(Unit::Percent),
            Value::Ratio(_) => Some(Unit::Ratio),
            Value::None => None,
        }
    }

    pub fn seconds(&self) -> Option<f64> {
        if let Value::Seconds(seconds) = self { Some(*seconds) } else { None }
    }

    /// The order in a sorted column: names and ranks ascend, all else descends, and unknown values come last.
    pub fn order(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => a.cmp(b),
            (Value::Rank(a), Value::Rank(b)) => a.number.is_none().cmp(&b.number.is_none()).then(a.cmp(b)),
            (Value::None, _) | (_, Value::None) => (*self == Value::None).cmp(&(*other == Value::None)),
            _ => match (self.number(), other.number()) {
                (Some(a), Some(b)) => b.total_cmp(&a),
                _ => self.to_string().cmp(&other.to_string()),
            },
        }
    }
}

/// The value alone, with times and bytes in the unit that suits them.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Text(text) => f.write_str(text),
            Value::Label(label) => write!(f, "{:1$}{2}", "", 2 * label.depth, label.name),
            Value::Count(number) => f.write_str(&whole(*number)),
            Value::Number(number) => write!(f, "{number}"),
            Value::Rank(rank) => write!(f, "{rank}"),
            Value::Seconds(seconds) => f.write_str(&Scale::of(seconds.abs()).in_words().text(*seconds)),
            Value::Bytes(bytes) => in_bytes(*bytes, f),
            Value::Percent(percent) => f.write_str(&significant(*percent, 5, 1)),
            Value::Ratio(ratio) if *ratio == 0.0 => f.write_str("0"),
            Value::Ratio(ratio) => f.write_str(&significant(*ratio, 3, 2)),
            Value::None => f.write_str("-"),
        }
    }
}

impl fmt::Display for WorldRank {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (self.world, self.number) {
            (_, None) => f.write_str("-"),
            (0, Some(number)) => write!(f, "{number}"),
            (world, Some(number)) => write!(f, "{number} of world {world}"),
        }
    }
}

/// Bytes in the binary unit that leaves up to four digits.
fn in_bytes(bytes: u64, f: &mut fmt::Formatter) -> fmt::Result {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let power = (bytes.max(1).ilog2() / 10) as usize;
    let number = bytes as f64 / (1u64 << (10 * power)) as f64;
    match power {
        0 => write!(f, "{} B", whole(bytes)),
        _ if number < 99.95 => write!(f, "{number:.1} {}", UNITS[power]),
        _ => write!(f, "{} {}", decimal(number, 0), UNITS[power]),
    }
}

#[cfg(test)]
mod tests {
    use crate::value::{Value, WorldRank};

    #[test]
    fn ranks_are_sorted_by_world_and_number_and_those_without_a_number_come_last() {
        let rank = |world, number| Value::Rank(WorldRank { world, number });
        let mut ranks = [Value::None, rank(0, None), rank(1, Some(0)), rank(0, Some(10)), rank(0, Some(2))];
        ranks.sort_by(Value::order);
        assert_eq!(ranks.each_ref().map(Value::to_string), ["2", "10", "0 of world 1", "-", "-"]);
        assert_eq!(ranks[4], Value::None);
    }

    #[test]
    fn bytes_are_written_in_the_binary_unit_that_leaves_up_to_four_digits() {
        let texts = [0, 1023, 1024, 102_348, 102_400, u64::MAX].map(|bytes| Value::Bytes(bytes).to_string());
        assert_eq!(texts, ["0 B", "1,023 B", "1.0 KiB", "99.9 KiB", "100 KiB", "16.0 EiB"]);
    }
}
