//! Arguments that are one of a few names.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use tables::Named;

/// Takes the names of a choice, and lists them in help.
pub fn choices<T: Named + Send + Sync>() -> impl TypedValueParser<Value = T> {
    let names = T::NAMES.iter().map(|(name, help, _)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(names).try_map(|name| T::named(&name))
}
