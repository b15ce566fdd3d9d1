//! One round: rank 0 to each of its peers and back, by one of the transport functions.

use std::time::Instant;

use benchmarks::{
    SendMode, Window, World, broadcast, irecv, isend_by, progress, receive, send, wait, waitall, waitany,
};
use clap::ValueEnum;
use mpi_sys::MPI_Comm;

/// MPI's counterparts of the document's transport functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Function {
    /// Send: MPI_Isend, each message back by the same
    Isend,
    /// Send, where the receiver has to be there: MPI_Issend
    Issend,
    /// RDMA write: MPI_Put; the target polls the last byte
    Put,
    /// RDMA read, first stage: rank 0 reads from all others
    Get,
    /// RDMA read, second stage: all others read from rank 0 at once, and take the time
    GetByAll,
    /// Multicast: MPI_Bcast there, messages back
    Bcast,
}

impl Function {
    /// Name in the output and on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string())
    }
}

/// Times that rank 0 measured in a round, seconds.
pub struct Round {
    /// From the first send to the last answer; in the second stage of reading, the longest read.
    pub whole: f64,
    /// From the first send to the answer of each peer; in the second stage of reading, the time that each took.
    pub answers: Vec<f64>,
}

/// The processes that take part, and their memory.
pub struct Transport<'a> {
    pub function: Function,
    pub world: World,
    /// Rank 0 and its peers.
    pub communicator: MPI_Comm,
    pub peers: usize,
    pub window: &'a Window,
    /// Bytes of the window for each peer's answer.
    pub slot: usize,
    pub data: Vec<u8>,
    /// Answers from each peer, at rank 0.
    pub answers: Vec<u8>,
    /// Rounds so far.
    pub number: u64,
}

const ROOT: usize = 0;
const DATA: i32 = 3;
const TIME: i32 = 4;

impl Transport<'_> {
    /// Every process that takes part calls it. Rank 0 has measured something.
    pub fn round(&mut self) -> Option<Round> {
        self.number += 1;
        let is_root = self.world.rank == ROOT;
        match (self.function, is_root) {
            (Function::Isend | Function::Issend | Function::Bcast, true) => return Some(self.ask()),
            (Function::Isend | Function::Issend | Function::Bcast, false) => self.answer(),
            (Function::Put, true) => return Some(self.put()),
            (Function::Put, false) => {
                let length = self.data.len();
                self.await_byte(length - 1);
                self.put_mark(ROOT, (self.world.rank - 1) * self.slot);
                self.window.flush(ROOT);
            }
            (Function::Get, true) => return Some(self.get()),
            (Function::Get, false) => {}
            (Function::GetByAll, true) => return Some(self.be_read()),
            (Function::GetByAll, false) => self.read(),
        }
        None
    }

    /// The mark of this round, which is not that of the one before.
    fn mark(&self) -> u8 {
        (self.number % 255) as u8 + 1
    }

    fn begin_to_send(&self, dest: usize) -> mpi_sys::MPI_Request {
        let mode = if self.function == Function::Issend { SendMode::Synchronous } else { SendMode::Standard };
        // SAFETY: the data stay until the request is complete, which every caller waits for.
        unsafe { isend_by(mode, &self.data, dest, DATA) }
    }

    fn ask(&mut self) -> Round {
        let length = self.data.len();
        // SAFETY: the answers are not read before all have come, below.
        let post = |(at, slot): (usize, &mut [u8])| unsafe { irecv(slot, Some(at + 1), DATA) };
        let mut receives: Vec<_> = self.answers.chunks_exact_mut(length).enumerate().map(post).collect();
        let mut sends = Vec::with_capacity(self.peers);
        let begin = Instant::now();
        match self.function {
            Function::Bcast => broadcast(&mut self.data, self.communicator),
            _ => sends.extend((1..=self.peers).map(|peer| self.begin_to_send(peer))),
        }
        let mut answers = vec![0.0; self.peers];
        for _ in 0..self.peers {
            let (which, _) = waitany(&mut receives);
            answers[which] = begin.elapsed().as_secs_f64();
        }
        let whole = begin.elapsed().as_secs_f64();
        waitall(&mut sends);
        Round { whole, answers }
    }

    fn answer(&mut self) {
        match self.function {
            Function::Bcast => broadcast(&mut self.data, self.communicator),
            _ => receive(&mut self.answers, ROOT, DATA),
        }
        wait(&mut self.begin_to_send(ROOT));
    }

    fn put_mark(&mut self, target: usize, place: usize) {
        let (last, mark) = (self.data.len() - 1, self.mark());
        self.data[last] = mark;
        // SAFETY: the data stay until the next flush, which every caller calls.
        unsafe { self.window.put(&self.data, target, place) };
    }

    fn put(&mut self) -> Round {
        let (length, mark) = (self.data.len(), self.mark());
        let begin = Instant::now();
        (1..=self.peers).for_each(|peer| self.put_mark(peer, 0));
        // MPI may delay a put until it is flushed.
        (1..=self.peers).for_each(|peer| self.window.flush(peer));
        let mut answers = vec![0.0; self.peers];
        while answers.contains(&0.0) {
            for (at, answer) in answers.iter_mut().enumerate().filter(|(_, answer)| **answer == 0.0) {
                if self.window.byte(at * self.slot + length - 1) == mark {
                    *answer = begin.elapsed().as_secs_f64();
                }
            }
            self.progress();
        }
        Round { whole: answers.iter().copied().fold(0.0, f64::max), answers }
    }

    /// Polls until a byte of the own memory has the mark.
    fn await_byte(&self, place: usize) {
        while self.window.byte(place) != self.mark() {
            self.progress();
        }
    }

    /// Over TCP and in shared memory the target's processor carries out the puts and gets of others: a rank that polls memory alone
    /// waits for ever.
    fn progress(&self) {
        progress();
        if std::thread::available_parallelism().is_ok_and(|processors| processors.get() < self.world.size) {
            std::thread::yield_now();
        }
    }

    fn get(&mut self) -> Round {
        let length = self.data.len();
        let begin = Instant::now();
        for (at, slot) in self.answers.chunks_exact_mut(length).enumerate() {
            // SAFETY: the answers are not read before the flush, below.
            unsafe { self.window.get(slot, at + 1, 0) };
        }
        let flushed = |peer| {
            self.window.flush(peer);
            begin.elapsed().as_secs_f64()
        };
        let answers: Vec<f64> = (1..=self.peers).map(flushed).collect();
        Round { whole: begin.elapsed().as_secs_f64(), answers }
    }

    fn be_read(&mut self) -> Round {
        let mark = [self.mark()];
        for peer in 1..=self.peers {
            // SAFETY: the mark stays until the flush.
            unsafe { self.window.put(&mark, peer, 0) };
        }
        (1..=self.peers).for_each(|peer| self.window.flush(peer));
        let mut times = Vec::new();
        for peer in 1..=self.peers {
            let mut time = [0u8; 8];
            receive(&mut time, peer, TIME);
            times.push(f64::from_ne_bytes(time));
        }
        Round { whole: times.iter().copied().fold(0.0, f64::max), answers: times }
    }

    fn read(&mut self) {
        self.await_byte(0);
        let begin = Instant::now();
        // SAFETY: the data is not read before the flush.
        unsafe { self.window.get(&mut self.data, ROOT, 0) };
        self.window.flush(ROOT);
        send(&begin.elapsed().as_secs_f64().to_ne_bytes(), ROOT, TIME);
    }
}
