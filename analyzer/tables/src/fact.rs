//! One figure or name that stands alone.

use std::fmt;

use super::scale::Scale;
use super::unit::Unit;
use super::value::Value;

/// The key of a fact and what stands under it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FactKey {
    /// Its name for programs, with the unit behind it.
    pub name: &'static str,
    /// What it is counted in.
    pub unit: Unit,
    /// Every report has it.
    pub is_always: bool,
    /// A sentence on what it says.
    pub meaning: &'static str,
}

/// Names the facts of a module: `NAME = "key", Unit, always` or `sometimes`, and a sentence on what it says. `FACTS` lists them for
/// the schema.
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
        /// All facts of the module.
        pub const FACTS: &[$crate::fact::FactKey] = &[$($name),*];
    };
}

/// Whether every report has a fact.
#[allow(non_upper_case_globals)]
pub mod presence {
    pub const always: bool = true;
    pub const sometimes: bool = false;
}

/// One figure or name that stands alone.
pub struct Fact {
    /// What programs know it by.
    pub key: FactKey,
    /// Its name in text; empty where text says it elsewhere.
    pub heading: &'static str,
    /// The figure.
    pub value: Value,
    /// By how much it may be off, in its own unit; text says that.
    pub error: Option<Value>,
    /// What text says behind it; times there are in the unit of the fact's own.
    pub note: Vec<Value>,
}

impl Fact {
    /// A fact that text shows too.
    pub fn new(key: FactKey, heading: &'static str, value: Value) -> Fact {
        debug_assert!(key.unit.suits(key.name), "{} does not end as {:?}", key.name, key.unit);
        debug_assert!(value.unit().is_none_or(|unit| unit == key.unit), "{}: {value:?}", key.name);
        Fact { key, heading, value, error: None, note: Vec::new() }
    }

    /// A fact for programs only.
    pub fn hidden(key: FactKey, value: Value) -> Fact {
        Fact::new(key, "", value)
    }

    /// With something behind it in text.
    pub fn note(self, note: impl Into<String>) -> Fact {
        self.figure(Value::Text(note.into()))
    }

    /// And a figure behind that.
    pub fn figure(mut self, figure: Value) -> Fact {
        self.note.push(figure);
        self
    }

    /// With what it may be off by.
    pub fn error(self, error: Value) -> Fact {
        Fact { error: Some(error), ..self }
    }
}

/// In a line: all its times in one unit, its error with as many digits.
impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let times = std::iter::once(&self.value).chain(&self.note).filter_map(Value::seconds);
        let scale = Scale::of(times.fold(0.0, |longest, time| time.abs().max(longest)));
        let scale = if self.error.is_some() { scale } else { scale.in_words() };
        let figure = |value: &Value| value.seconds().map_or_else(|| value.to_string(), |seconds| scale.text(seconds));
        match (self.value.seconds(), self.error.as_ref().and_then(Value::seconds)) {
            (Some(seconds), Some(error)) => write!(f, "{} ± {}", scale.number(seconds), scale.text(error))?,
            _ => f.write_str(&figure(&self.value))?,
        }
        self.note.iter().try_for_each(|part| f.write_str(&figure(part)))
    }
}
