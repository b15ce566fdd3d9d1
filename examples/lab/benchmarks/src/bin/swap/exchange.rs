//! One processor's part in a number of swaps: the document's loop, and the one that preposts.

use benchmarks::SendMode;
use benchmarks::{irecv, isend_by, receive, send, send_by, sendrecv, wait};
use mpi_sys::MPI_Request;

use super::protocol::Protocol;

const DATA: i32 = 1;
const READY: i32 = 2;

pub struct Side<'a> {
    pub protocol: &'a Protocol,
    pub peer: usize,
    /// True for the one that receives first, if the protocol is ordered.
    pub is_second: bool,
    /// Elements of a message.
    pub length: usize,
    /// Number of times that each message is sent.
    pub repeats: usize,
    pub sent: &'a [f64],
    /// Twice as long as the data that is sent, since two receives of one message may be under way.
    pub received: &'a mut [f64],
}

impl<'a> Side<'a> {
    /// Swap after swap.
    pub fn basic(&mut self, messages: usize) {
        for swap in 0..messages * self.repeats {
            match self.protocol {
                Protocol { is_native: true, .. } => {
                    let (sent, at) = (self.message(swap), self.place(swap));
                    sendrecv(sent, &mut self.received[at], self.peer, DATA);
                }
                _ if self.answers() => self.answer(swap),
                _ => self.lead(swap),
            }
        }
    }

    fn lead(&mut self, swap: usize) {
        let receiving = self.protocol.posts_receive.then(|| self.post(swap));
        if self.protocol.is_announced {
            self.announce(!self.protocol.is_ordered);
        }
        let sending = self.send(swap);
        self.complete(swap, receiving);
        sending.into_iter().for_each(|mut sending| wait(&mut sending));
    }

    fn answer(&mut self, swap: usize) {
        let receiving = self.posts().then(|| self.post(swap));
        if self.protocol.is_announced {
            send::<u8>(&[], self.peer, READY);
        }
        self.complete(swap, receiving);
        self.send(swap);
    }

    /// The document's reorganized loop. A message tells that the receive of the next one is posted, so ready sends need
    /// nothing else.
    pub fn preposted(&mut self, messages: usize, synchronize: impl FnOnce()) {
        if self.protocol.is_native {
            // It posts and completes within one call.
            synchronize();
            return self.basic(messages);
        }
        let swaps = messages * self.repeats;
        let mut current = self.posts().then(|| self.post(0));
        let mut last: Option<MPI_Request> = None;
        synchronize();
        for swap in 0..swaps {
            let next = (self.posts() && swap + 1 < swaps).then(|| self.post(swap + 1));
            let sending = if self.answers() {
                if self.protocol.mode == SendMode::Standard && self.protocol.is_announced {
                    send::<u8>(&[], self.peer, READY);
                }
                self.complete(swap, current.take());
                self.send(swap)
            } else {
                if self.protocol.mode == SendMode::Standard && self.protocol.is_announced {
                    receive::<u8>(&mut [], self.peer, READY);
                }
                let sending = self.send(swap);
                self.complete(swap, current.take());
                sending
            };
            last.into_iter().for_each(|mut last| wait(&mut last));
            (current, last) = (next, sending);
        }
        last.into_iter().for_each(|mut last| wait(&mut last));
    }

    /// True for the second processor of an ordered swap.
    fn answers(&self) -> bool {
        self.protocol.is_ordered && self.is_second
    }

    /// True if this processor begins its receive. One that answers does so only for ready sends, before it says that it has.
    fn posts(&self) -> bool {
        self.protocol.posts_receive && (!self.answers() || self.protocol.mode == SendMode::Ready)
    }

    /// Waits until the other processor says that it receives, and says the same if it is to know.
    fn announce(&mut self, both: bool) {
        match both {
            true => sendrecv::<u8>(&[], &mut [], self.peer, READY),
            false => receive::<u8>(&mut [], self.peer, READY),
        }
    }

    fn post(&mut self, swap: usize) -> MPI_Request {
        let at = self.place(swap);
        // SAFETY: the received data is not read, each request is completed, and no two of one place are under way.
        unsafe { irecv(&mut self.received[at], Some(self.peer), DATA) }
    }

    fn send(&self, swap: usize) -> Option<MPI_Request> {
        let (mode, sent) = (self.protocol.mode, self.message(swap));
        if self.protocol.begins_send && !self.answers() {
            // SAFETY: the data stays as it is while it is sent, and the request is completed.
            return Some(unsafe { isend_by(mode, sent, self.peer, DATA) });
        }
        send_by(mode, sent, self.peer, DATA);
        None
    }

    fn complete(&mut self, swap: usize, receiving: Option<MPI_Request>) {
        let at = self.place(swap);
        match receiving {
            Some(mut receiving) => wait(&mut receiving),
            None => receive(&mut self.received[at], self.peer, DATA),
        }
    }

    /// The data of a swap: another part of the memory for each message.
    fn message(&self, swap: usize) -> &'a [f64] {
        let first = swap / self.repeats * self.length;
        &self.sent[first..first + self.length]
    }

    /// Place of the message that a swap receives.
    fn place(&self, swap: usize) -> std::ops::Range<usize> {
        let half = if self.repeats > 1 { swap % 2 * (self.received.len() / 2) } else { 0 };
        let first = half + swap / self.repeats * self.length;
        first..first + self.length
    }
}
