//! The table of records: the tag of each kind, and the fields of its words from the lowest bit on. Writer, reader and
//! the check of FORMAT.md use it.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    reason = "run by the compiler, but for a table of 256 kinds that a byte indexes"
)]

/// The fields of a word: name, and sign and width as in `u24` or `i32`.
pub type Word = &'static [(&'static str, &'static str)];

macro_rules! records {
    ($($(#[$doc:meta])* $kind:ident = $tag:literal $(in $tag_width:literal)?: $([$($field:ident: $of:ident),*])+;)+) => {
        /// The kind of a record. It is the low byte of the first word, which is odd, except for calls in one word.
        #[repr(u8)]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum RecordKind {
            $($(#[$doc])* $kind = $tag),+
        }

        impl RecordKind {
            pub const ALL: &[RecordKind] = &[$(RecordKind::$kind),+];

            /// The number of low bits of the first word that give the kind.
            pub const fn tag_width(self) -> u32 {
                match self {
                    $($(RecordKind::$kind => $tag_width,)?)+
                    _ => 8,
                }
            }

            /// The fields of each word. In the first word they follow the tag.
            pub const fn layout(self) -> &'static [Word] {
                match self {
                    $(RecordKind::$kind => &[$(&[$((stringify!($field), stringify!($of))),*]),+]),+
                }
            }
        }
    };
}

records! {
    /// A call that fits in one word.
    Call = 0x00 in 1: [signature: u15, gap: u24, duration: u24];
    /// A short call, and the entries into the progress engine during it.
    CallAndEngine = 0x0f in 4: [productive: u2, entries: u5, signature: u9, gap: u18, duration: u13, ticks: u13];
    /// A call with a 32-bit gap and a 64-bit duration.
    Wide = 0x01: [signature: u24, gap: i32] [duration: u64];
    /// A call with a 64-bit gap and duration.
    Long = 0x03: [signature: u24] [gap: i64] [duration: u64];
    /// The result of a receive, if it differs from what was posted.
    Arrived = 0x07: [fate: u8, bytes: u48] [source: i32, tag: i32];
    /// Requests of this thread that the call completed.
    Completed = 0x09: [count: u16, age: u40];
    /// Completed, started or freed requests that another thread began or created.
    Elsewhere = 0x0b: [what: u8, count: u16, thread: u32] [number: u64];
    /// Persistent requests that the call started, by the age of the creating record. Each takes a new number.
    Started = 0x0d: [count: u16, age: u40];
    /// The error the call returned.
    Failed = 0x11: [class: u16, code: i32];
    /// The entries into the progress engine during the call, in one word.
    Engine = 0x13: [productive: u6, entries: u20, ticks: u30];
    /// These entries if they do not fit in one word.
    EngineLong = 0x15: [entries: u56] [productive: u64] [ticks: u64];
    /// A productive entry into the progress engine.
    Productive = 0x17: [gap: i28, duration: u28];
    /// Requests that the call freed without waiting for them.
    Freed = 0x19: [count: u16, age: u40];
    /// A run of polls without success.
    Polls = 0x1b: [signature: u24, count: u32] [gap: i64] [span: u64] [total: u64]
        [shortest_gap: u32, longest_gap: u32] [shortest_duration: u32, longest_duration: u32];
    /// An advance of time without a record of its own.
    Skip = 0x1d: [ticks: i56];
    /// Partitioned send requests of which the call marked parts as ready.
    Ready = 0x21: [count: u16, age: u40];
    /// The thread enters a region of the program.
    RegionBegin = 0x23: [gap: u28, region: u28];
    /// The thread leaves the innermost region with this number.
    RegionEnd = 0x25: [gap: u28, region: u28];
    /// The entries into the progress engine during the call, exactly one of which was productive, and when that was.
    EngineOne = 0x27: [entries: u13, ticks: u20, duration: u13, tail: u10];
    /// Consecutive productive entries.
    ProductiveRun = 0x29: [count: u56] [gap: i64] [span: u64];
    /// Entries into the progress engine outside MPI calls.
    Outside = 0x2b: [count: u56] [gap: i64] [span: u64];
    /// The content of a message that the call sent or received, or of one part of a collective call.
    Content = 0x2d: [received: u1, untaken: u7, bytes: u48] [part: i32, checksum: u32];
    /// MPI said that a request of this thread is complete, before a call completed it.
    FoundComplete = 0x31: [gap: u28, age: u28];
    /// Where the thread was between two calls, at the end of a period of its processor time.
    Sample = 0x33: [gap: u28, periods: u28] [site: u32];
    /// Periods of the thread's processor time that ended inside the call, or inside the polls.
    Sampled = 0x35: [periods: u56];
    /// Periods without a sample.
    Unsampled = 0x37: [recording: u28, lost: u28];
    /// The processor time that the thread used between the call before and this one.
    OnProcessor = 0x39: [nanoseconds: u56];
    /// Parallel regions of OpenMP that the thread started one after another.
    Teams = 0x3b: [threads: u16, count: u40] [site: u32, unknown: u32] [gap: i64] [span: u64] [inside: u64] [work: u64]
        [longest: u64] [own: u64] [barriers: u64] [locks: u64];
    /// The call that follows lies in a parallel region, which began here.
    OpenTeam = 0x3d: [site: u32] [gap: i64];
    /// Accesses to a file between calls.
    Accesses = 0x41: [operation: u8, count: u48] [site: u32, file: u32] [gap: i64] [span: u64] [time: u64]
        [longest: u64] [bytes: u64] [smallest: u32, largest: u32] [jumps: u32, failed: u32];
}

/// The kind for each low byte of a first word.
const OF_BYTES: [Option<RecordKind>; 256] = {
    let mut kinds = [None; 256];
    let mut kind = 0;
    while kind < RecordKind::ALL.len() {
        let known = RecordKind::ALL[kind];
        let mut byte = known as usize;
        while byte < kinds.len() {
            assert!(kinds[byte].is_none(), "two kinds of record are told by the same bits");
            kinds[byte] = Some(known);
            byte += 1 << known.tag_width();
        }
        kind += 1;
    }
    kinds
};

impl RecordKind {
    /// The kind of a record by its first word; `None` for a kind that this version does not know.
    #[inline]
    pub const fn of(word: u64) -> Option<RecordKind> {
        OF_BYTES[word as u8 as usize]
    }

    /// The number of words of the whole record.
    pub const fn words(self) -> usize {
        self.layout().len()
    }

    /// The words of the longest record.
    pub const MOST_WORDS: usize = {
        let (mut most, mut kind) = (0, 0);
        while kind < RecordKind::ALL.len() {
            let words = RecordKind::ALL[kind].words();
            if words > most {
                most = words;
            }
            kind += 1;
        }
        most
    };

    /// True if the record names requests by age.
    pub const fn is_of_requests(self) -> bool {
        matches!(self, RecordKind::Completed | RecordKind::Started | RecordKind::Freed | RecordKind::Ready)
    }

    /// A first word with the tag alone.
    #[inline(always)]
    pub const fn word(self) -> u64 {
        self as u64
    }

    /// The position of a field in its word. Panics if there is no such field, so only constants call it.
    pub const fn bits(self, name: &str) -> Bits {
        let words = self.layout();
        let mut word = 0;
        while word < words.len() {
            let from = if word == 0 { self.tag_width() } else { 0 };
            if let Some(bits) = Bits::find(words[word], name, from) {
                return bits;
            }
            word += 1;
        }
        panic!("no such field")
    }

    /// True if the fields of each word, with the tag in the first, take at most 64 bits.
    const fn is_within_words(self) -> bool {
        let words = self.layout();
        let mut word = 0;
        while word < words.len() {
            let mut bits = if word == 0 { self.tag_width() } else { 0 };
            let mut field = 0;
            while field < words[word].len() {
                bits += width(words[word][field].1);
                field += 1;
            }
            if bits > 64 {
                return false;
            }
            word += 1;
        }
        true
    }
}

const _: () = {
    let mut kind = 0;
    while kind < RecordKind::ALL.len() {
        assert!(RecordKind::ALL[kind].is_within_words(), "a record's fields take more than a word");
        kind += 1;
    }
};

/// The position of a field, as a constant.
macro_rules! bits {
    ($kind:ident.$field:ident) => {
        const { $crate::record::RecordKind::$kind.bits(stringify!($field)) }
    };
}
pub(crate) use bits;

/// The position of a field in a word of a record.
#[derive(Clone, Copy)]
pub struct Bits {
    /// The lowest bit.
    at: u32,
    /// The number of bits.
    pub width: u32,
}

impl Bits {
    /// The field with this name in a word whose fields follow each other from bit `at` on.
    pub(super) const fn find(fields: &[(&str, &str)], name: &str, mut at: u32) -> Option<Bits> {
        let mut field = 0;
        while field < fields.len() {
            let width = width(fields[field].1);
            if is_same(fields[field].0, name) {
                return Some(Bits { at, width });
            }
            at += width;
            field += 1;
        }
        None
    }

    /// The bits of a value beyond the field's width: 0 if the value fits.
    #[inline(always)]
    pub const fn excess(self, value: u64) -> u64 {
        value >> self.width
    }

    /// True if a signed value fits into the field.
    pub const fn reaches(self, value: i64) -> bool {
        let reach = 1 << (self.width - 1);
        -reach <= value && value < reach
    }

    /// A value that fits, moved to its place in the word.
    #[inline(always)]
    pub const fn put(self, value: u64) -> u64 {
        value << self.at
    }

    /// A signed value that the field [reaches](Bits::reaches), moved to its place in the word.
    pub const fn put_signed(self, value: i64) -> u64 {
        (value as u64) << (64 - self.width) >> (64 - self.width - self.at)
    }

    /// The field's value in a word.
    #[inline(always)]
    pub const fn get(self, word: u64) -> u64 {
        word << (64 - self.width - self.at) >> (64 - self.width)
    }

    /// The field's signed value in a word.
    pub const fn get_signed(self, word: u64) -> i64 {
        (word << (64 - self.width - self.at)) as i64 >> (64 - self.width)
    }
}

/// The width of a type such as `u24` or `i32`.
pub(super) const fn width(of: &str) -> u32 {
    let (digits, mut width, mut at) = (of.as_bytes(), 0, 1);
    while at < digits.len() {
        width = 10 * width + (digits[at] - b'0') as u32;
        at += 1;
    }
    width
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}
