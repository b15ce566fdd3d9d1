//! How much a call hands out and has posted to receive: elements and their datatypes, as the arguments say.

use crate::abi::Family;
use crate::recorder::objects::{self, Info};

/// How many elements a rank hands out or has posted.
#[derive(Clone, Copy)]
pub enum Amount {
    /// The call has none.
    None,
    /// So many.
    One(u64),
    /// So many, by the root only.
    AtRoot(u64),
    /// So many, by all but the root.
    NotAtRoot(u64),
    /// So many for each process of the communicator.
    Each(u64),
    /// The same, by the root only.
    EachAtRoot(u64),
    /// An array with one number for each process.
    Array(Numbers),
    /// The same, by the root only.
    ArrayAtRoot(Numbers),
    /// From an array with one number for each process, this rank's.
    MineOf(Numbers),
    /// So many for each neighbor.
    Neighbors(u64),
    /// An array with one number for each neighbor.
    NeighborArray(Numbers),
}

/// An array of counts.
#[derive(Clone, Copy)]
pub struct Numbers {
    /// Where it is.
    pub address: usize,
    /// Whether they are 64 bits wide.
    pub wide: bool,
}

/// The datatypes of an amount.
#[derive(Clone, Copy)]
pub enum Types {
    /// The call has none.
    None,
    /// One for all.
    One(u64),
    /// An array with one for each process.
    Array(usize),
}

/// An array of counts with the datatypes of its elements: what belongs to each process or neighbor.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    numbers: Numbers,
    length: u32,
    types: Types,
    family: &'a Family,
}

/// A handle was met for the first time: MPI has to accept it before anything is asked about it.
pub struct Unknown;

/// Which way an amount goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From this rank to others.
    Out,
    /// From others to this rank.
    In,
}

impl Amount {
    /// Its bytes.
    #[inline(always)]
    pub fn bytes(
        self,
        types: Types,
        family: &Family,
        info: &Info,
        at_root: bool,
        way: Direction,
    ) -> Result<u64, Unknown> {
        match self.parts(types, family, info, at_root, way) {
            Some(parts) => parts.sum(),
            None => Ok(self.elements(info, at_root, way) * types.size(family)?),
        }
    }

    /// What belongs to each process or neighbor, if arrays say so: they are as long as there are of those.
    #[inline(always)]
    pub fn parts<'a>(
        self,
        types: Types,
        family: &'a Family,
        info: &Info,
        at_root: bool,
        way: Direction,
    ) -> Option<Parts<'a>> {
        let (numbers, length) = match self {
            Amount::Array(numbers) => (numbers, info.size),
            Amount::ArrayAtRoot(numbers) if at_root => (numbers, info.size),
            Amount::NeighborArray(numbers) => (numbers, way.neighbors(info)),
            _ => return None,
        };
        Some(Parts { numbers, length, types, family })
    }

    #[inline(always)]
    fn elements(self, info: &Info, at_root: bool, way: Direction) -> u64 {
        match self {
            Amount::One(count) => count,
            Amount::AtRoot(count) if at_root => count,
            Amount::NotAtRoot(count) if !at_root => count,
            Amount::Each(count) => count * info.size as u64,
            Amount::EachAtRoot(count) if at_root => count * info.size as u64,
            Amount::MineOf(numbers) if info.rank >= 0 => numbers.get(info.rank as usize),
            Amount::Neighbors(count) => count * way.neighbors(info) as u64,
            _ => 0,
        }
    }
}

impl Direction {
    /// The neighbors there.
    #[inline(always)]
    fn neighbors(self, info: &Info) -> u32 {
        match self {
            Direction::In => info.degrees.0,
            Direction::Out => info.degrees.1,
        }
    }
}

impl Parts<'_> {
    /// The bytes of each, in order: none where the datatype is not known.
    pub fn bytes(&self) -> impl Iterator<Item = u64> {
        (0..self.length as usize).map(|at| self.get(at).unwrap_or(0))
    }

    /// All together.
    #[inline(never)]
    fn sum(&self) -> Result<u64, Unknown> {
        (0..self.length as usize).try_fold(0u64, |sum, at| Ok(sum.wrapping_add(self.get(at)?)))
    }

    /// The handles of their datatypes, where each has one of its own.
    pub fn types(&self) -> impl Iterator<Item = u64> {
        let address = if let Types::Array(address) = self.types { Some(address) } else { None };
        address.into_iter().flat_map(move |address| (0..self.length as usize).map(move |at| self.type_at(address, at)))
    }

    #[inline(always)]
    fn get(&self, at: usize) -> Result<u64, Unknown> {
        let types = match self.types {
            Types::Array(address) => Types::One(self.type_at(address, at)),
            types => types,
        };
        Ok(types.size(self.family)?.wrapping_mul(self.numbers.get(at)))
    }

    #[inline(always)]
    fn type_at(&self, address: usize, at: usize) -> u64 {
        // SAFETY: the program passes one datatype for each process or neighbor.
        unsafe { self.family.handle_at(address + at * self.family.handle_size) }
    }
}

impl Types {
    /// The size of one element.
    #[inline(always)]
    fn size(self, family: &Family) -> Result<u64, Unknown> {
        match self {
            Types::One(handle) => objects::size_of(family, handle).ok_or(Unknown),
            _ => Ok(0),
        }
    }
}

impl Numbers {
    /// The number at this place.
    #[inline(always)]
    pub fn get(self, at: usize) -> u64 {
        if self.address == 0 {
            // MPI's to complain about.
            return 0;
        }
        // SAFETY: the program passes one number for each process or neighbor.
        unsafe {
            match self.wide {
                true => (self.address as *const i64).add(at).read_unaligned() as u64,
                false => (self.address as *const i32).add(at).read_unaligned() as u64,
            }
        }
    }
}
