//! Statements in a program's first lines. [`crate::truth`] compares them with reports, [`crate::waits`] those about
//! waiting.

use std::fmt;
use std::iter::{Product, Sum};
use std::str::FromStr;

/// A stated figure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    pub(crate) what: Figure,
    pub(crate) function: String,
    pub(crate) value: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Figure {
    /// A column of the breakdown by rank and function; of one rank, or of all.
    Column(&'static str, Option<u32>),
    /// Calls of one rank that name another.
    Messages(u32, i32),
    /// Calls from the line of source that ends with this comment.
    At(String),
}

impl FromStr for Expectation {
    type Err = String;

    /// Reads `calls MPI_Send rank 0 = 3 * 10`, `messages MPI_Send 0 -> 1 = 10`, `calls MPI_Send at a mark = 10` and the
    /// like.
    fn from_str(text: &str) -> Result<Expectation, String> {
        let (left, right) = text.split_once('=').ok_or("it has no =")?;
        let words: Vec<&str> = left.split_whitespace().collect();
        let [what, function, rest @ ..] = words.as_slice() else { return Err("it names no function".into()) };
        let number = |word: &str| word.parse().map_err(|_| format!("{word} is no number"));
        let rank = match rest {
            [] => None,
            ["at", mark @ ..] if *what == "calls" => {
                let what = Figure::At(mark.join(" "));
                return Ok(Expectation { what, function: function.to_string(), value: evaluate(right)? });
            }
            ["rank", rank] => Some(number(rank)?),
            [from, "->", to] if *what == "messages" => {
                let to = to.parse().map_err(|_| format!("{to} is no rank"))?;
                let what = Figure::Messages(number(from)?, to);
                return Ok(Expectation { what, function: function.to_string(), value: evaluate(right)? });
            }
            _ => return Err(format!("{} is not understood", rest.join(" "))),
        };
        // A persistent request moves its bytes when it is started.
        let prepares = function.ends_with("_init") || function.ends_with("_init_c");
        let column = match *what {
            "sent" if prepares => "prepared_sent_bytes",
            "received" if prepares => "prepared_received_bytes",
            "calls" => "calls",
            "sent" => "sent_bytes",
            "received" => "received_bytes",
            "pieces" => "pieces",
            "failed" => "failed_calls",
            "nested" => "nested_calls",
            _ => return Err(format!("nothing is called {what}")),
        };
        Ok(Expectation { what: Figure::Column(column, rank), function: function.to_string(), value: evaluate(right)? })
    }
}

/// Evaluates a sum of products.
fn evaluate<N: FromStr + Sum + Product>(text: &str) -> Result<N, String> {
    let factor = |word: &str| word.trim().parse::<N>().map_err(|_| format!("{} is no number", word.trim()));
    let product = |text: &str| text.split('*').map(factor).product::<Result<N, _>>();
    text.split('+').map(product).sum()
}

/// A statement about waiting.
#[derive(Clone, PartialEq, Debug)]
pub enum Stated {
    Wait(Wait),
    /// Share of all ranks' time that other waits may take.
    Elsewhere(f64),
}

/// One rank waits at one place for another rank at another place.
#[derive(Clone, PartialEq, Debug)]
pub struct Wait {
    pub(crate) state: String,
    pub(crate) waiting: MarkedCall,
    pub(crate) cause: MarkedCall,
    pub(crate) seconds: f64,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct MarkedCall {
    pub(crate) rank: u32,
    pub(crate) function: String,
    pub(crate) mark: String,
}

impl Stated {
    /// Reads the text after `wait`.
    pub fn read(text: &str) -> Result<Stated, String> {
        match text.strip_prefix("elsewhere <") {
            Some(share) => evaluate(share).map(Stated::Elsewhere),
            None => Wait::read(text).map(Stated::Wait),
        }
    }
}

impl Wait {
    fn read(text: &str) -> Result<Wait, String> {
        let (waits, cause) = text.split_once(" <- ").ok_or("it has no <-")?;
        let (left, right) = waits.split_once(" = ").ok_or("it has no =")?;
        let (state, rank) = left.split_once(' ').ok_or("it names no rank")?;
        let (seconds, at) = right.split_once(" at ").ok_or("it does not say where, with at")?;
        let (cause_rank, by) =
            cause.strip_prefix("rank ").and_then(|cause| cause.split_once(' ')).unwrap_or((cause, ""));
        Ok(Wait {
            state: state.into(),
            waiting: MarkedCall::read(rank.trim_start_matches("rank "), at)?,
            cause: MarkedCall::read(cause_rank, by)?,
            seconds: evaluate(seconds)?,
        })
    }
}

/// Writes the wait as programs state it.
impl fmt::Display for Wait {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let (waiting, cause) = (&self.waiting, &self.cause);
        write!(out, "{} rank {} // {} <- rank {}", self.state, waiting.rank, waiting.mark, cause.rank)
    }
}

impl MarkedCall {
    fn read(rank: &str, call: &str) -> Result<MarkedCall, String> {
        let (function, mark) = call.split_once(" // ").ok_or_else(|| format!("{call} has no mark"))?;
        let rank = rank.parse().map_err(|_| format!("{rank} is no rank"))?;
        Ok(MarkedCall { rank, function: function.trim().into(), mark: mark.trim().into() })
    }
}
