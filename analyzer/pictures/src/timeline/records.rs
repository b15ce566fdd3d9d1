//! Records of a page's timeline, declared once: the structs that are written, and [`layouts`], by which
//! `page/timeline/decode.js` reads them.
//!
//! Encodings have the same names here, in [`Bytes`] and in the page's `Numbers`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use traces::signature::UNKNOWN_BYTES;

use tables::part::Addend;

/// A record's name in the page, and each field's name and encoding.
pub type Layout = (&'static str, &'static [(&'static str, &'static str)]);

/// Type of a field, by its encoding.
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
                /// Writes the record; `last` is the record before it in the list.
                pub fn write(&self, last: &Self, bytes: &mut Bytes) {
                    $(bytes.$encoding(self.$field, last.$field);)*
                }
            }
        )*

        const RECORDS: &[Layout] = &[$(($name, &[$(($key, stringify!($encoding))),*])),*];
    };
}

records! {
    /// A row's bin; its times follow.
    BinRecord "bin" {
        bin "bin" => since,
        waited "waited" => number,
    }
    /// Nanoseconds of a bin in one function.
    BinTime "binTime" {
        function "fn" => number,
        time "ns" => number,
    }
    /// Common properties of single calls.
    KindRecord "kind" {
        function "fn" => number,
        site "site" => number,
        /// Communicator, window or file.
        object "object" => number,
        /// Partner or root in the program's numbering.
        peer "peer" => signed,
        tag "tag" => signed,
        /// Source and its tag, for calls that both send and receive.
        source "source" => signed,
        source_tag "sourceTag" => signed,
        /// Bytes sent, and posted to receive.
        sent "sent" => optional,
        received "received" => optional,
        /// Index of the size class in tables.
        size "size" => number,
        /// Bytes that one call moves.
        bytes Addend::Bytes.name() => optional,
    }
    /// A single call. Extras follow if their flags are set.
    CallRecord "call" {
        /// Index into the row's kinds.
        kind "kind" => number,
        flags "flags" => number,
        start "start" => since,
        length "length" => number,
    }
    /// A wait of a call.
    WaitRecord "wait" {
        state "state" => number,
        /// Nanoseconds from the call's begin.
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
    /// A record of several calls: their number, and their time inside MPI.
    SeveralExtra "several" {
        calls Addend::Calls.name() => number,
        inside Addend::Nanoseconds.name() => number,
    }
    /// Message that a receive got.
    ArrivedExtra "arrived" {
        source "source" => signed,
        bytes "got" => optional,
    }
    /// Bytes that a call moved, if its kind does not tell.
    MovedExtra "moved" {
        bytes Addend::Bytes.name() => optional,
    }
    ThreadExtra "thread" {
        thread "thread" => number,
    }
    /// One or several entries into the engine outside MPI.
    MarkRecord "mark" {
        start "start" => since,
        length "length" => number,
        count "count" => number,
    }
    /// Where a rank was between two calls, by samples.
    SampleRecord "sample" {
        at "at" => since,
        /// Number of the function on call paths.
        path "path" => number,
        time Addend::Computed.name() => number,
    }
    MessageRecord "message" {
        begin "begin" => since,
        length "length" => signed,
        from "from" => number,
        to "to" => number,
        bytes Addend::Bytes.name() => number,
    }
    /// Tables distinguish calls by these.
    CallSumKind "callSumKind" {
        function "fn" => number,
        site "site" => number,
        size "size" => number,
    }
    /// Sums over several chunks, of one kind.
    CallSumRecord "callSum" {
        /// Index into the kinds.
        kind "kind" => number,
        calls Addend::Calls.name() => number,
        time Addend::Nanoseconds.name() => number,
        of_others Addend::OfOtherThreads.name() => number,
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

/// A flag of a call: an extra follows, or a property holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    /// A list of waits follows.
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
    /// Ordered by bit, which is also the order of the extras.
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

    /// The flag's bit if `is`, else 0.
    pub fn flag(self, is: bool) -> u64 {
        u64::from(is) << self as u64
    }
}

/// `None` if the bytes are unknown.
pub fn known(bytes: u64) -> Option<u64> {
    (bytes != UNKNOWN_BYTES).then_some(bytes)
}

/// Description of the records for the page.
#[derive(Serialize)]
pub struct Layouts {
    records: serde_json::Map<String, serde_json::Value>,
    /// Names of the bits in a call's flags.
    extras: Vec<&'static str>,
    /// Addends that combine by maximum instead of sum.
    most: Vec<&'static str>,
    /// Names of all addends.
    addends: Vec<&'static str>,
}

pub fn layouts() -> Layouts {
    let record = |(name, fields): &Layout| ((*name).to_string(), serde_json::json!(fields));
    Layouts {
        records: RECORDS.iter().map(record).collect(),
        extras: Extra::ALL.iter().map(|(_, name)| *name).collect(),
        most: vec![Addend::Longest.name()],
        addends: Addend::OF_RECORDS.iter().map(|addend| addend.name()).collect(),
    }
}

/// An output buffer. Every encoding also takes the previous record's value of the field; only some use it.
#[derive(Clone, Default, Debug)]
pub struct Bytes(Vec<u8>);

impl Bytes {
    pub fn number(&mut self, number: u64, _last: u64) {
        self.put(number);
    }

    /// Zigzag encoding: small numbers of both signs are short.
    pub fn signed(&mut self, number: i64, _last: i64) {
        self.put(((number << 1) ^ (number >> 63)) as u64);
    }

    /// Difference from the previous number.
    pub fn since(&mut self, number: i64, last: i64) {
        self.signed(number - last, 0);
    }

    /// The number plus 1, or 0 for `None`.
    pub fn optional(&mut self, number: Option<u64>, _last: Option<u64>) {
        self.put(number.map_or(0, |number| number.saturating_add(1)));
    }

    pub fn length(&mut self, length: usize) {
        self.put(length as u64);
    }

    #[inline]
    fn put(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub fn append(&mut self, other: &Bytes) {
        self.0.extend_from_slice(&other.0);
    }

    /// Base64.
    pub fn text(&self) -> String {
        STANDARD.encode(&self.0)
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
            for number in [1, 2, 3] {
                same.number(number, 0);
            }
        }
        assert_eq!(bytes.text(), same.text());
    }
}
