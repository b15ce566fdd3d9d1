//! The rules by which a table of a page follows the timeline: its rows and figures for a part of the run.
//!
//! The page holds records of calls, waits and messages, each of one rank, with [`Addend`]s and with numbers that lead to
//! names. It adds them up for the part in view, and computes figures from the sums by the columns' rules. It knows no
//! figure of its own, so a column without a rule is unknown in a part.
//!
//! ```text
//! Column::seconds("time_mean_s", "mean", |row: &Self| row.mean).in_part(added(Nanoseconds).over(Ranks))
//! ```

/// A quantity that a page adds up. Times are in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Addend {
    /// Calls that begin in the part.
    Calls,
    /// Time inside MPI.
    Nanoseconds,
    /// Time inside MPI on threads other than the first.
    OfOtherThreads,
    /// Bytes that the calls moved.
    Bytes,
    /// Entries into the progress engine.
    Entries,
    /// Entries that achieved something.
    Productive,
    /// Waits that begin in the part.
    Waits,
    /// Time of these waits.
    Waited,
    /// The longest of these waits: combines by maximum.
    Longest,
    /// Messages that were sent.
    Messages,
    /// Processor time between calls, by samples.
    Computed,
    /// 1 for each rank in view.
    Ranks,
    /// Time from a rank's start to its end.
    Ran,
    /// The same time, once for each thread of the rank.
    RanOfThreads,
}

impl Addend {
    /// Addends that records carry. The others come from each rank's own start and end.
    pub const OF_RECORDS: [Addend; 11] = [
        Addend::Calls,
        Addend::Nanoseconds,
        Addend::OfOtherThreads,
        Addend::Bytes,
        Addend::Entries,
        Addend::Productive,
        Addend::Waits,
        Addend::Waited,
        Addend::Longest,
        Addend::Messages,
        Addend::Computed,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Addend::Calls => "calls",
            Addend::Nanoseconds => "ns",
            Addend::OfOtherThreads => "ofOthers",
            Addend::Bytes => "bytes",
            Addend::Entries => "entries",
            Addend::Productive => "productive",
            Addend::Waits => "waits",
            Addend::Waited => "waited",
            Addend::Longest => "longest",
            Addend::Messages => "messages",
            Addend::Computed => "computed",
            Addend::Ranks => "ranks",
            Addend::Ran => "ran",
            Addend::RanOfThreads => "ofThreads",
        }
    }
}

/// A formula over addends. The column's unit turns nanoseconds into seconds and quotients into percent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PartFigure {
    /// The sum of a rank if ranks are compared, else of all ranks.
    Added(Addend),
    /// The sum over the functions that have this attribute: its name and value.
    AddedWhere(Addend, &'static str, String),
    Number(u32),
    /// The figure over all rows of the table.
    Whole(Box<PartFigure>),
    /// A figure of each rank: added up, the most, the least.
    Sum(Box<PartFigure>),
    Most(Box<PartFigure>),
    Least(Box<PartFigure>),
    Plus(Vec<PartFigure>),
    /// The first minus the second, at least 0.
    Rest(Box<[PartFigure; 2]>),
    Lesser(Box<[PartFigure; 2]>),
    Times(Box<[PartFigure; 2]>),
    /// A quotient, unknown if the second is not above 0.
    Over(Box<[PartFigure; 2]>),
    /// Unknown instead of 0.
    Positive(Box<PartFigure>),
}

pub fn added(addend: Addend) -> PartFigure {
    PartFigure::Added(addend)
}

impl From<Addend> for PartFigure {
    fn from(addend: Addend) -> PartFigure {
        PartFigure::Added(addend)
    }
}

impl From<u32> for PartFigure {
    fn from(number: u32) -> PartFigure {
        PartFigure::Number(number)
    }
}

impl PartFigure {
    pub fn whole(self) -> PartFigure {
        PartFigure::Whole(Box::new(self))
    }

    pub fn sum(self) -> PartFigure {
        PartFigure::Sum(Box::new(self))
    }

    pub fn most(self) -> PartFigure {
        PartFigure::Most(Box::new(self))
    }

    pub fn least(self) -> PartFigure {
        PartFigure::Least(Box::new(self))
    }

    pub fn without(self, other: impl Into<PartFigure>) -> PartFigure {
        PartFigure::Rest(Box::new([self, other.into()]))
    }

    pub fn at_most(self, other: impl Into<PartFigure>) -> PartFigure {
        PartFigure::Lesser(Box::new([self, other.into()]))
    }

    pub fn times(self, other: impl Into<PartFigure>) -> PartFigure {
        PartFigure::Times(Box::new([self, other.into()]))
    }

    pub fn if_any(self) -> PartFigure {
        PartFigure::Positive(Box::new(self))
    }

    pub fn over(self, other: impl Into<PartFigure>) -> PartFigure {
        PartFigure::Over(Box::new([self, other.into()]))
    }
}

/// A list of the page that numbers of records lead to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartName {
    Function,
    /// A call site with its file's path.
    Site,
    /// A call site in short.
    SiteInShort,
    /// The power of two that a call's bytes reach. Calls without bytes are in no row.
    Size,
    WaitState,
    /// The rank of a call or wait.
    Rank,
    /// Sender and receiver of a message.
    Sender,
    Receiver,
    /// The late rank, if a single one made others wait.
    CauseRank,
    CauseFunction,
    CauseSite,
}

/// The content of a column in a part of the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PartRule {
    /// A name: records with the same names are one row.
    Name(PartName),
    Figure(PartFigure),
    /// The rank that has the most of something, or the least: the first of several.
    RankWithMost(PartFigure),
    RankWithLeast(PartFigure),
    /// The value of the whole run's row with the same name in the first column.
    Kept,
    /// A figure that [`PartRows::Fixed`] gives for each row.
    OfRow,
}

impl From<PartName> for PartRule {
    fn from(name: PartName) -> PartRule {
        PartRule::Name(name)
    }
}

impl<F: Into<PartFigure>> From<F> for PartRule {
    fn from(figure: F) -> PartRule {
        PartRule::Figure(figure.into())
    }
}

/// The rows of a table in a part of the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PartRows {
    /// A row for each rank in view.
    Ranks,
    /// A row for each name that calls have.
    Calls,
    /// Like `Calls`, after a row of this name, in which a figure of each rank takes the place of an addend.
    CallsBehind(&'static str, Addend, PartFigure),
    Waits,
    Messages,
    /// The rows of the whole run, of calls that their path leads to: the first column is the path.
    Paths,
    /// The rows of the whole run, each with its figure for the column that is [`PartRule::OfRow`].
    Fixed(Vec<Option<PartFigure>>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartTable {
    pub rows: PartRows,
    /// Keys of the columns that rows are sorted by: figures descend, ranks ascend; a leading `-` reverses that.
    pub order: &'static [&'static str],
    /// Leaves out rows in which this column is not above 0.
    pub only: Option<&'static str>,
    /// Tells readers what a part leaves out.
    pub left_out: &'static str,
}

impl PartTable {
    pub fn new(rows: PartRows, order: &'static [&'static str]) -> PartTable {
        PartTable { rows, order, only: None, left_out: "" }
    }

    /// Leaves out rows without this figure.
    pub fn only(self, key: &'static str) -> PartTable {
        PartTable { only: Some(key), ..self }
    }

    pub fn left_out(self, left_out: &'static str) -> PartTable {
        PartTable { left_out, ..self }
    }
}
