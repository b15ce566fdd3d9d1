//! Facts: figures and names that stand alone, outside tables.

use std::fmt;

use super::scale::Scale;
use super::unit::Unit;
use super::value::Value;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FactKey {
    /// The name for programs, which ends in the unit.
    pub name: &'static str,
    pub unit: Unit,
    pub is_always: bool,
    pub meaning: &'static str,
}

/// Declares the facts of a module: `NAME = "key", Unit, always` or `sometimes`, and a sentence that says what the fact
/// means. `FACTS` lists them for the schema.
#[macro_export]
macro_rules! facts {
    ($($name:ident = $key:literal, $unit:ident, $presence:ident, $meaning:expr;)*) => {
        $(
            #[doc = concat!("`", $key, "`.")]
            pub const $name: $crate::fact::FactKey = $crate::fact::FactKey {
            name: $key,
            unit: $crate::unit::Unit::$unit,
            is_always: $crate::fact::presence::$presence,
            meaning: $meaning,
        };)*
        pub const FACTS: &[$crate::fact::FactKey] = &[$($name),*];
    };
}

/// The words by which `facts!` says if every report has a fact.
#[allow(non_upper_case_globals)]
pub mod presence {
    pub const always: bool = true;
    pub const sometimes: bool = false;
}

#[derive(Clone)]
pub struct Fact {
    pub key: FactKey,
    /// The heading in text; empty if text does not show the fact.
    pub heading: &'static str,
    pub value: Value,
    /// The error of the figure, in the same unit. Only text shows it.
    pub error: Option<Value>,
    /// The text and figures that follow in text. Times among them are shown in the unit of the fact's own.
    pub note: Vec<Value>,
}

impl Fact {
    /// A fact that text shows, too.
    pub fn new(key: FactKey, heading: &'static str, value: Value) -> Fact {
        debug_assert!(key.unit.suits(key.name), "{} does not end as {:?}", key.name, key.unit);
        debug_assert!(value.unit().is_none_or(|unit| unit == key.unit), "{}: {value:?}", key.name);
        Fact { key, heading, value, error: None, note: Vec::new() }
    }

    /// A fact that text does not show.
    pub fn hidden(key: FactKey, value: Value) -> Fact {
        Fact::new(key, "", value)
    }

    pub fn note(self, note: impl Into<String>) -> Fact {
        self.figure(Value::Text(note.into()))
    }

    pub fn figure(mut self, figure: Value) -> Fact {
        self.note.push(figure);
        self
    }

    pub fn error(self, error: Value) -> Fact {
        Fact { error: Some(error), ..self }
    }
}

/// One line, with all its times in one unit. An error has two digits, and the figure no more decimals than it; an error of 0 says
/// nothing and is left out.
impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let times = std::iter::once(&self.value).chain(&self.note).filter_map(Value::seconds);
        let scale = Scale::of(times.fold(0.0, |longest, time| time.abs().max(longest)));
        let error = self.error.as_ref().and_then(Value::seconds).filter(|error| *error > 0.0);
        let scale = error.map_or(scale.in_words(), |error| scale.known_to(error));
        let figure = |value: &Value| value.seconds().map_or_else(|| value.to_string(), |seconds| scale.text(seconds));
        match (self.value.seconds(), error) {
            (Some(seconds), Some(error)) => write!(f, "{} ± {}", scale.number(seconds), scale.text(error))?,
            _ => f.write_str(&figure(&self.value))?,
        }
        self.note.iter().try_for_each(|part| f.write_str(&figure(part)))
    }
}
