//! Units of figures. A key ends in the suffix of its unit, and no other key ends so.

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unit {
    Text,
    Count,
    /// A number that identifies something.
    Number,
    /// The id of a row in another table.
    Id,
    Flag,
    Tag,
    /// Ticks of a rank's own counter.
    Ticks,
    /// A rank of any world: programs get its number and its world's.
    Rank,
    Seconds,
    Bytes,
    /// A share in percent.
    Percent,
    Ratio,
    /// The unit depends on the row.
    ByRow,
}

/// The type of a value in JSON and CSV.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScalarType {
    Text,
    /// A whole number, not negative.
    Whole,
    Real,
}

/// The type of a column of the data set, under Arrow's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnType {
    Boolean,
    UInt32,
    UInt64,
    Int32,
    Float64,
    Utf8,
}

impl Unit {
    /// The suffix of keys with this unit.
    pub fn suffix(self) -> Option<&'static str> {
        match self {
            Unit::Seconds => Some("s"),
            Unit::Bytes => Some("bytes"),
            Unit::Percent => Some("percent"),
            Unit::Rank => Some("rank"),
            Unit::Ticks => Some("ticks"),
            _ => None,
        }
    }

    /// True if the key ends in the unit's suffix, or in none if the unit has none.
    pub fn suits(self, key: &str) -> bool {
        let with_suffix = [Unit::Seconds, Unit::Bytes, Unit::Percent, Unit::Rank, Unit::Ticks];
        let last = key.rsplit('_').next().filter(|last| with_suffix.iter().any(|unit| unit.suffix() == Some(last)));
        // The data set has an id column for ranks, so `_rank` also fits ids.
        last == self.suffix() || (self == Unit::Id && last == Unit::Rank.suffix())
    }

    /// The key without the unit's suffix.
    pub fn bare(self, key: &str) -> &str {
        self.suffix().and_then(|suffix| key.strip_suffix(suffix)).map_or(key, |bare| bare.trim_end_matches('_'))
    }

    /// True if figures of this unit are measured or counted.
    pub fn is_measured(self) -> bool {
        self.is_sum() || matches!(self, Unit::Percent | Unit::Ratio)
    }

    /// True if figures of this unit may have decimals.
    pub fn has_decimals(self) -> bool {
        matches!(self, Unit::Seconds | Unit::Percent | Unit::Ratio)
    }

    /// True if figures of this unit add up, so that a missing one is 0.
    pub fn is_sum(self) -> bool {
        matches!(self, Unit::Count | Unit::Seconds | Unit::Bytes)
    }

    /// The type in JSON and CSV.
    pub fn scalar_type(self) -> ScalarType {
        match self {
            Unit::Text | Unit::Flag | Unit::Tag => ScalarType::Text,
            Unit::Count | Unit::Number | Unit::Id | Unit::Rank | Unit::Bytes | Unit::Ticks => ScalarType::Whole,
            Unit::Seconds | Unit::Percent | Unit::Ratio | Unit::ByRow => ScalarType::Real,
        }
    }

    /// The type of a column of the data set.
    pub fn column_type(self) -> ColumnType {
        match self {
            Unit::Text => ColumnType::Utf8,
            Unit::Flag => ColumnType::Boolean,
            Unit::Id => ColumnType::UInt32,
            Unit::Tag => ColumnType::Int32,
            Unit::Count | Unit::Number | Unit::Rank | Unit::Bytes | Unit::Ticks => ColumnType::UInt64,
            Unit::Seconds | Unit::Percent | Unit::Ratio | Unit::ByRow => ColumnType::Float64,
        }
    }

    /// The unit in words, for readers of a schema.
    pub fn in_words(self) -> &'static str {
        match self {
            Unit::Text => "a name",
            Unit::Count => "how many",
            Unit::Number | Unit::Id => "a number by which one is called",
            Unit::Flag => "yes or no",
            Unit::Tag => "a tag",
            Unit::Ticks => "ticks of the rank's own counter",
            Unit::Rank => "a rank",
            Unit::Seconds => "seconds",
            Unit::Bytes => "bytes",
            Unit::Percent => "of 100",
            Unit::Ratio => "one number divided by another",
            Unit::ByRow => {
                "in the unit that the row's name ends in: _s seconds, _bytes bytes, _percent of 100, else a count"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::unit::Unit;

    #[test]
    fn a_key_ends_as_its_unit_says_and_no_other_key_ends_so() {
        assert!(Unit::Seconds.suits("time_max_s") && Unit::Percent.suits("percent") && Unit::Bytes.suits("sent_bytes"));
        assert!(Unit::Count.suits("calls") && Unit::Text.suits("class") && Unit::Rank.suits("cause_rank"));
        assert!(!Unit::Count.suits("time_s") && !Unit::Seconds.suits("time") && !Unit::Seconds.suits("sent_bytes"));
        assert!(!Unit::Number.suits("rank") && !Unit::Text.suits("cause_rank"));
        assert_eq!([Unit::Seconds.bare("time_max_s"), Unit::Count.bare("calls")], ["time_max", "calls"]);
    }
}
