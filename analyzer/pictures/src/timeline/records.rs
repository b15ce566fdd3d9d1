//! The records of a page's timeline, described once: the structs that are written, and [`layouts`], by which `page/timeline/decode.js`
//! reads them.
//!
//! What a field's encoding is called here, [`Bytes`] and the page's `Numbers` call it, too.

use serde::Serialize;

use super::Bytes;
use tables::part::Addend;
use traces::signature::UNKNOWN_BYTES;

/// A record's name in the page, and the name and encoding of each field.
pub type Layout = (&'static str, &'static [(&'static str, &'static str)]);

/// The type of a field, by its encoding.
macro_rules! encoded {
    (number) => { u64 };
    (signed) => { i64 };
    (since) => { i64 };
    (optional) => { Option<u64> };
}

macro_rules! records {
    ($($(#[$doc:meta])* $record:ident $name:literal { $($(#[$field_doc:meta])* $field:ident $key:expr => $encoding:ident,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
            pub struct $record { $($(#[$field_doc])* pub $field: encoded!($encoding)),* }

            impl $record {
                /// Writes the record behind the last one of its list.
                pub fn write(&self, last: &Self, bytes: &mut Bytes) {
                    $(bytes.$encoding(self.$field, last.$field);)*
                }
            }
        )*

        const RECORDS: &[Layout] = &[$(($name, &[$(($key, stringify!($encoding))),*])),*];
    };
}

records! {
    /// What a row did in a bin. Its times follow.
    BinRecord "bin" {
        bin "bin" => since,
        waited "waited" => number,
    }
    /// Nanoseconds in a function, of a bin.
    BinTime "binTime" {
        function "fn" => number,
        time "ns" => number,
    }
    /// What single calls have in common.
    KindRecord "kind" {
        function "fn" => number,
        site "site" => number,
        /// Communicator, window or file.
        object "object" => number,
        /// Partner or root as the program numbers it.
        peer "peer" => signed,
        tag "tag" => signed,
        /// Where a call sends and receives: the source, and its tag.
        source "source" => signed,
        source_tag "sourceTag" => signed,
        /// Bytes handed out, and posted to receive.
        sent "sent" => optional,
        received "received" => optional,
        /// The place among the sizes by which tables tell calls apart.
        size "size" => number,
        /// What one call moves.
        bytes Addend::Bytes.name() => optional,
    }
    /// A single call. Extras follow, those whose flag is set.
    CallRecord "call" {
        /// The place among the row's kinds.
        kind "kind" => number,
        flags "flags" => number,
        start "start" => since,
        length "length" => number,
    }
    /// A wait of a call.
    WaitRecord "wait" {
        state "state" => number,
        /// From the call's begin on.
        after "after" => number,
        length "length" => number,
        /// Rank and place that came late.
        cause "cause" => optional,
        place "place" => optional,
    }
    /// Entries into the progress engine.
    EngineExtra "engine" {
        entries Addend::Entries.name() => number,
        productive Addend::Productive.name() => number,
    }
    /// Calls that stand together: how many, and how long they were inside MPI.
    SeveralExtra "several" {
        calls Addend::Calls.name() => number,
        inside Addend::Nanoseconds.name() => number,
    }
    /// What a receive got.
    ArrivedExtra "arrived" {
        source "source" => signed,
        bytes "got" => optional,
    }
    /// What a call moved, where its kind does not say.
    MovedExtra "moved" {
        bytes Addend::Bytes.name() => optional,
    }
    ThreadExtra "thread" {
        thread "thread" => number,
    }
    /// An entry into the engine outside MPI, or several.
    MarkRecord "mark" {
        start "start" => since,
        length "length" => number,
        count "count" => number,
    }
    MessageRecord "message" {
        begin "begin" => since,
        length "length" => signed,
        from "from" => number,
        to "to" => number,
        bytes Addend::Bytes.name() => number,
    }
    /// What tables tell calls apart by.
    CallSumKind "callSumKind" {
        function "fn" => number,
        site "site" => number,
        size "size" => number,
    }
    /// What several chunks have of a kind.
    CallSumRecord "callSum" {
        /// The place among the kinds.
        kind "kind" => number,
        calls Addend::Calls.name() => number,
        time Addend::Nanoseconds.name() => number,
        bytes Addend::Bytes.name() => optional,
        entries Addend::Entries.name() => number,
        productive Addend::Productive.name() => number,
    }
    WaitSumRecord "waitSum" {
        function "fn" => number,
        site "site" => number,
        state "state" => number,
        cause "cause" => optional,
        place "place" => optional,
        waits Addend::Waits.name() => number,
        time Addend::Waited.name() => number,
        longest Addend::Longest.name() => number,
    }
    PairSumRecord "pairSum" {
        from "from" => number,
        to "to" => number,
        messages Addend::Messages.name() => number,
        bytes Addend::Bytes.name() => number,
    }
}

/// What a flag of a call says: that this follows, or is so.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    /// A list of waits.
    Waits,
    Engine,
    Several,
    Arrived,
    Moved,
    Thread,
    Failed,
    Open,
}

impl Extra {
    /// In the order of their bits, in which they follow.
    const ALL: [(Extra, &'static str); 8] = [
        (Extra::Waits, "waits"),
        (Extra::Engine, "engine"),
        (Extra::Several, "several"),
        (Extra::Arrived, "arrived"),
        (Extra::Moved, "moved"),
        (Extra::Thread, "thread"),
        (Extra::Failed, "failed"),
        (Extra::Open, "open"),
    ];

    /// The flag, if it is so.
    pub fn flag(self, is: bool) -> u64 {
        u64::from(is) << self as u64
    }
}

/// Bytes, unless they are not known.
pub fn known(bytes: u64) -> Option<u64> {
    (bytes != UNKNOWN_BYTES).then_some(bytes)
}

/// What a page reads its records by.
#[derive(Serialize)]
pub struct Layouts {
    records: serde_json::Map<String, serde_json::Value>,
    /// What the bits of a call's flags say.
    extras: Vec<&'static str>,
    /// Addends of which several come to the most of them, not to their sum.
    most: Vec<&'static str>,
    /// All addends.
    addends: Vec<&'static str>,
}

/// All of them.
pub fn layouts() -> Layouts {
    let record = |(name, fields): &Layout| ((*name).to_string(), serde_json::json!(fields));
    Layouts {
        records: RECORDS.iter().map(record).collect(),
        extras: Extra::ALL.iter().map(|(_, name)| *name).collect(),
        most: vec![Addend::Longest.name()],
        addends: Addend::OF_RECORDS.iter().map(|addend| addend.name()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extras_stand_in_the_order_of_their_bits() {
        for (bit, (extra, name)) in Extra::ALL.iter().enumerate() {
            assert_eq!(extra.flag(true), 1 << bit, "{name}");
        }
    }

    #[test]
    fn a_record_is_written_field_by_field_as_its_layout_says() {
        let mut bytes = Bytes::default();
        let message = |begin, length| MessageRecord { begin, length, from: 1, to: 2, bytes: 3 };
        message(100, -1).write(&MessageRecord::default(), &mut bytes);
        message(130, 4).write(&message(100, -1), &mut bytes);
        let mut same = Bytes::default();
        for (since, length) in [(100, -1), (30, 4)] {
            same.signed(since, 0);
            same.signed(length, 0);
            [1, 2, 3].into_iter().for_each(|number| same.number(number, 0));
        }
        assert_eq!(bytes.text(), same.text());
    }
}
