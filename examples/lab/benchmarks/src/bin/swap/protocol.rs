//! The protocols of the document's table, as data.

use benchmarks::SendMode::{self, Buffered, Ready, Standard, Synchronous};

/// Calls of the processors of a swap. In an ordered swap, the second one receives before it sends, both by calls that
/// return when they are done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Protocol {
    /// Ping-pong; otherwise both send at once.
    pub is_ordered: bool,
    /// Its number among those.
    pub number: u8,
    /// The document's name for it.
    pub name: &'static str,
    /// Mode of the sends.
    pub mode: SendMode,
    /// The receive is begun before the send.
    pub posts_receive: bool,
    /// The send is begun, and completed after the receive.
    pub begins_send: bool,
    /// MPI_Sendrecv does all.
    pub is_native: bool,
    /// The second processor says by an empty message that it receives, as a ready send requires.
    pub is_announced: bool,
}

const BLOCKS: bool = false;
const BEGINS: bool = true;

const fn unordered(number: u8, name: &'static str, posts_receive: bool, begins_send: bool, mode: SendMode) -> Protocol {
    let is_announced = matches!(mode, Ready);
    Protocol { is_ordered: false, number, name, mode, posts_receive, begins_send, is_native: false, is_announced }
}

const fn ordered(number: u8, name: &'static str, posts_receive: bool, begins_send: bool, mode: SendMode) -> Protocol {
    Protocol { is_ordered: true, ..unordered(number, name, posts_receive, begins_send, mode) }
}

/// All of them.
pub const PROTOCOLS: [Protocol; 21] = [
    unordered(0, "simple", BLOCKS, BLOCKS, Buffered),
    unordered(1, "nonblocking send", BLOCKS, BEGINS, Standard),
    unordered(2, "nonblocking receive", BEGINS, BLOCKS, Standard),
    unordered(3, "nonblocking send and receive", BEGINS, BEGINS, Standard),
    unordered(4, "ready send", BEGINS, BLOCKS, Ready),
    unordered(5, "nonblocking ready send", BEGINS, BEGINS, Ready),
    Protocol { is_native: true, ..unordered(6, "native sendrecv", BLOCKS, BLOCKS, Standard) },
    unordered(7, "nonblocking sync. send", BLOCKS, BEGINS, Synchronous),
    unordered(8, "sync. send and nonblocking receive", BEGINS, BLOCKS, Synchronous),
    unordered(9, "nonblocking sync. send and receive", BEGINS, BEGINS, Synchronous),
    ordered(0, "simple", BLOCKS, BLOCKS, Standard),
    ordered(1, "nonblocking send", BLOCKS, BEGINS, Standard),
    ordered(2, "nonblocking receive", BEGINS, BLOCKS, Standard),
    ordered(3, "nonblocking send and receive", BEGINS, BEGINS, Standard),
    ordered(4, "ready send", BEGINS, BLOCKS, Ready),
    ordered(5, "nonblocking ready send", BEGINS, BEGINS, Ready),
    // The table has the second processor in its receive before the first one sends.
    Protocol { is_announced: true, ..ordered(6, "synchronous", BLOCKS, BLOCKS, Standard) },
    ordered(7, "nonblocking sync. send", BLOCKS, BEGINS, Synchronous),
    ordered(8, "sync. send and nonblocking receive", BEGINS, BLOCKS, Synchronous),
    ordered(9, "nonblocking sync. send and receive", BEGINS, BEGINS, Synchronous),
    ordered(10, "sync. send", BLOCKS, BLOCKS, Synchronous),
];

impl Protocol {
    /// Its number in the document, without brackets.
    pub fn id(&self) -> String {
        format!("{},{}", u8::from(self.is_ordered), self.number)
    }
}

impl std::str::FromStr for &'static Protocol {
    type Err = String;

    fn from_str(text: &str) -> Result<&'static Protocol, String> {
        let found = PROTOCOLS.iter().find(|protocol| protocol.id() == text);
        found.ok_or_else(|| "it is 0,0 to 0,9 (unordered) or 1,0 to 1,10 (ordered)".into())
    }
}
