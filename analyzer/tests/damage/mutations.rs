//! Random damage of every kind that a disk, a copy, a defect or malice may cause.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use traces::definitions::{
    Communicator, Definition, EqualParts, Group, Members, Neighbors, Occasion, Origin, Parts, SameClock, Span, Sync,
};
use traces::write::{FileWriter, UNIT, blank_header};

use crate::originals::Files;

/// Bytes with a meaning in the headers of a file and of a page.
const FILE_HEADER: usize = 248;
const PAGE_HEADER: usize = 64;
/// Kinds of records are odd numbers up to this one.
const KINDS: u64 = 0x29;
/// Numbers at which arithmetic goes wrong.
const EXTREMES: [u64; 14] = [
    0,
    1,
    2,
    0x7f,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    1 << 40,
    i64::MAX as u64,
    1 << 63,
    u64::MAX - 1,
    u64::MAX,
];

/// Damage that depends on its seed alone.
pub struct Damage(StdRng);

impl Damage {
    pub fn new(seed: u64) -> Damage {
        Damage(StdRng::seed_from_u64(seed))
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0.random_range(0..limit.max(1))
    }

    /// Damages a run in one to four places.
    pub fn to(&mut self, files: &mut Files) {
        for _ in 0..=self.below(4) {
            let names: Vec<String> = files.keys().cloned().collect();
            let Some(name) = names.get(self.below(names.len())) else { return };
            if self.below(12) == 0 {
                self.folder(files, name, &names);
            } else {
                files.get_mut(name).into_iter().for_each(|bytes| self.file(bytes));
            }
        }
    }

    /// Loses, copies or exchanges files.
    fn folder(&mut self, files: &mut Files, name: &str, names: &[String]) {
        let bytes = files.remove(name).unwrap_or_default();
        let other = &names[self.below(names.len())];
        match self.below(4) {
            0 => {}
            1 => {
                files.insert(format!("rank-{:04}.ovh", self.below(9)), bytes.clone());
                files.insert(name.into(), bytes);
            }
            2 => drop(files.insert(format!("world-1-rank-{:04}.ovh", self.below(3)), bytes)),
            _ => {
                let others = files.insert(other.clone(), bytes);
                files.extend(others.map(|others| (name.into(), others)));
            }
        }
    }

    fn file(&mut self, bytes: &mut Vec<u8>) {
        if bytes.len() < PAGE_HEADER {
            return;
        }
        match self.below(12) {
            0 => (0..=self.below(8)).for_each(|_| self.flip(bytes)),
            1 => bytes.truncate(self.0.random_range(0..bytes.len())),
            2 => self.zeros(bytes),
            3 => self.pages(bytes),
            4 => bytes.extend(self.definitions()),
            5 => (0..=self.below(3)).for_each(|_| self.number(bytes, 0, FILE_HEADER)),
            6 => {
                let page = self.page(bytes);
                (0..=self.below(2)).for_each(|_| self.number(bytes, page, PAGE_HEADER));
            }
            7 | 8 => (0..=self.below(3)).for_each(|_| self.number(bytes, 0, usize::MAX)),
            9 => {
                // The beginning of a page has a thread's block, signatures or definitions.
                let page = self.page(bytes);
                self.number(bytes, page + PAGE_HEADER, 512);
            }
            _ => (0..=self.below(6)).for_each(|_| self.record(bytes)),
        }
    }

    fn flip(&mut self, bytes: &mut [u8]) {
        let at = self.0.random_range(0..bytes.len());
        bytes[at] ^= 1 << self.below(8);
    }

    fn zeros(&mut self, bytes: &mut [u8]) {
        let at = self.0.random_range(0..bytes.len());
        let until = (at + self.below(2 * UNIT)).min(bytes.len());
        bytes[at..until].fill(if self.below(2) == 0 { 0 } else { 0xff });
    }

    /// Exchanges, doubles or loses pages.
    fn pages(&mut self, bytes: &mut Vec<u8>) {
        let (one, other) = (self.page(bytes), self.page(bytes));
        let length = UNIT.min(bytes.len() - one).min(bytes.len() - other);
        let copy = bytes[one..one + length].to_vec();
        match self.below(3) {
            0 => {
                bytes.copy_within(other..other + length, one);
                bytes[other..other + length].copy_from_slice(&copy);
            }
            1 => drop(bytes.splice(other..other, copy)),
            _ => drop(bytes.drain(one..one + length)),
        }
    }

    /// A possible begin of a page.
    fn page(&mut self, bytes: &[u8]) -> usize {
        self.below(bytes.len() / UNIT) * UNIT
    }

    /// Writes an extreme number at a suitable place in a range.
    fn number(&mut self, bytes: &mut [u8], from: usize, length: usize) {
        let width = 1 << self.below(4);
        let limit = bytes.len().saturating_sub(from).min(length) / width;
        if limit == 0 {
            return;
        }
        let at = from + self.0.random_range(0..limit) * width;
        let value = self.extreme().to_le_bytes();
        bytes[at..at + width].copy_from_slice(&value[..width]);
    }

    fn extreme(&mut self) -> u64 {
        match self.below(4) {
            0 => self.0.random::<u64>() >> self.below(64),
            _ => EXTREMES[self.below(EXTREMES.len())],
        }
    }

    /// Writes an extreme record of some kind over others.
    fn record(&mut self, bytes: &mut [u8]) {
        let at = self.0.random_range(0..bytes.len() / 8) * 8;
        let kind = self.0.random_range(0..=KINDS);
        let first = kind | self.extreme() << 8;
        let rest: Vec<u64> = (0..self.below(6)).map(|_| self.extreme()).collect();
        let words: Vec<u8> = [first].iter().chain(&rest).flat_map(|word| word.to_le_bytes()).collect();
        let until = (at + words.len()).min(bytes.len());
        bytes[at..until].copy_from_slice(&words[..until - at]);
    }

    fn definitions(&mut self) -> Vec<u8> {
        let definitions: Vec<Definition> = (0..=self.below(4)).map(|_| self.definition()).collect();
        let mut file = FileWriter::begin(Vec::new(), blank_header()).unwrap();
        file.definitions(&definitions).unwrap();
        file.into_inner().split_off(UNIT)
    }

    fn definition(&mut self) -> Definition {
        let number = self.below(4) as u32;
        match self.below(9) {
            0 | 1 => Definition::Members(Members { communicator: number, local: self.spans(), remote: self.spans() }),
            2 => Definition::Group(Group { number, members: self.spans() }),
            3 => Definition::Neighbors(Neighbors {
                communicator: number,
                sources: self.spans(),
                destinations: self.spans(),
            }),
            4 => Definition::Origin(Origin { number, parent: self.below(4) as u32, ordinal: self.extreme() as u32 }),
            5 => Definition::Communicator(Communicator {
                number,
                rank: self.extreme() as i32,
                size: self.extreme() as u32,
                inter: self.below(2) == 0,
                name: "\u{1b}]0;\u{202e}".into(),
            }),
            7 => Definition::Parts(Parts {
                number,
                runs: (0..=number)
                    .map(|_| EqualParts { bytes: self.extreme(), count: self.extreme() as u32 })
                    .collect(),
            }),
            6 => Definition::SameClock(SameClock {
                when: Occasion::Init,
                peer: self.extreme() as u32,
                within: self.extreme(),
            }),
            _ => Definition::Sync(Sync {
                when: Occasion::Finalize,
                peer: self.below(4) as u32,
                before: self.extreme(),
                there: self.extreme(),
                after: self.extreme(),
                exchanges: 1,
            }),
        }
    }

    fn spans(&mut self) -> Vec<Span> {
        let mut span =
            || Span { first: self.extreme() as i32, count: self.extreme() as u32, step: self.extreme() as i32 };
        let count = 1 + span().count as usize % 3;
        (0..count).map(|_| span()).collect()
    }
}
