//! Keeps what all ranks' calls depend on, for replays.
//!
//! In: each rank's bytes, piece by piece. Out: the pieces of each rank. Beyond a bound they lie in temporary files.

use memmap2::Mmap;

use super::dependency_bytes::{NotedMarks, Notes, Pieces};
use super::dependency_log::DependencyLog;
use crate::spill::{KEPT, mapped};

/// Bytes of a rank that are handed on together.
const PIECE: usize = 2 << 10;

/// Notes and marks of all ranks.
#[derive(Default)]
pub struct Dependencies {
    parts: Vec<Part>,
    /// Bytes that are in no part yet.
    last: Vec<u8>,
    ranks: Vec<RankPieces>,
}

enum Part {
    Memory(Vec<u8>),
    Mapped(Mmap),
}

#[derive(Clone, Default)]
struct RankPieces {
    begin: Option<i64>,
    /// Of notes and of marks.
    pieces: [Vec<Piece>; 2],
}

/// Place of some bytes: part, offset and length.
#[derive(Clone, Copy)]
struct Piece {
    part: u32,
    at: u32,
    length: u32,
}

impl Dependencies {
    pub fn of(ranks: usize) -> Dependencies {
        Dependencies { ranks: vec![RankPieces::default(); ranks], ..Dependencies::default() }
    }

    /// True if a rank has enough bytes to be handed on.
    pub fn takes(log: &mut DependencyLog) -> bool {
        log.bytes().iter().map(|bytes| bytes.len()).sum::<usize>() >= PIECE
    }

    /// Takes what a rank has written.
    pub fn take(&mut self, rank: u32, log: &mut DependencyLog) {
        self.ranks[rank as usize].begin = log.begin;
        for (which, bytes) in log.bytes().into_iter().enumerate().filter(|(_, bytes)| !bytes.is_empty()) {
            if self.last.len() + bytes.len() > KEPT {
                self.end_part();
            }
            let (part, at, length) = (self.parts.len() as u32, self.last.len() as u32, bytes.len() as u32);
            self.ranks[rank as usize].pieces[which].push(Piece { part, at, length });
            self.last.append(bytes);
        }
    }

    /// Moves a part to a file, if there is room.
    fn end_part(&mut self) {
        let part = match mapped(&self.last) {
            Ok(map) => Part::Mapped(map),
            Err(_) => Part::Memory(std::mem::take(&mut self.last)),
        };
        self.parts.push(part);
        self.last.clear();
    }

    /// Time at which a rank's records begin, if the oldest were dropped.
    pub fn begin(&self, rank: usize) -> Option<i64> {
        self.ranks.get(rank)?.begin
    }

    pub fn notes(&self, rank: usize) -> Notes<'_> {
        Notes::of(self.pieces(rank, 0))
    }

    pub fn marks(&self, rank: usize) -> NotedMarks<'_> {
        NotedMarks::of(self.pieces(rank, 1))
    }

    fn pieces(&self, rank: usize, which: usize) -> Pieces<'_> {
        let pieces = self.ranks.get(rank).map_or(&[][..], |rank| &rank.pieces[which]);
        Pieces::of(pieces.iter().map(|Piece { part, at, length }| {
            let part = match self.parts.get(*part as usize) {
                Some(Part::Memory(bytes)) => bytes,
                Some(Part::Mapped(map)) => &map[..],
                None => &self.last,
            };
            &part[*at as usize..][..*length as usize]
        }))
    }
}
