//! The amounts that a call sends and posts to receive: elements and their datatypes, from the arguments.

use traces::layout::BYTES;

use crate::abi::Family;
use crate::recorder::objects::{self, Info};

/// The number of elements that a rank sends or has posted to receive.
#[derive(Clone, Copy)]
pub enum Amount {
    /// The call has no such argument.
    None,
    /// One count.
    One(u64),
    /// One count, at the root only.
    AtRoot(u64),
    /// One count, at all but the root.
    NotAtRoot(u64),
    /// The same count for each process of the communicator.
    Each(u64),
    /// The same count for each process, at the root only.
    EachAtRoot(u64),
    /// An array with a count for each process.
    Array(Numbers),
    /// An array with a count for each process, at the root only.
    ArrayAtRoot(Numbers),
    /// This rank's count in an array with one for each process.
    MineOf(Numbers),
    /// The same count for each neighbor.
    Neighbors(u64),
    /// An array with a count for each neighbor.
    NeighborArray(Numbers),
}

/// An array of counts.
#[derive(Clone, Copy)]
pub struct Numbers {
    pub address: usize,
    /// True if the counts have 64 bits.
    pub wide: bool,
}

/// The datatypes of an amount.
#[derive(Clone, Copy)]
pub enum Types {
    /// The call has none.
    None,
    /// The handle of one for all elements.
    One(u64),
    /// The address of an array with one for each process.
    Array(usize),
}

/// An array of counts with the datatypes of the elements, for each process or neighbor.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    numbers: Numbers,
    length: u32,
    types: Types,
    family: &'a Family,
}

/// The elements of an amount, with the numbers of their datatypes' definitions.
#[derive(Clone, Copy)]
pub struct AmountLayout<'a> {
    parts: Option<Parts<'a>>,
    /// Without parts: all elements.
    all: (u32, u64),
}

/// A handle is new: the recorder may query it only after MPI has accepted it.
pub struct Unknown;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From this rank to others.
    Out,
    /// From others to this rank.
    In,
}

impl Amount {
    /// The amount in bytes.
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

    /// The parts of each process or neighbor, if the amount is an array.
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

    /// The elements and where they lie, of each of so many `partitions`.
    pub fn layout<'a>(
        self,
        types: Types,
        family: &'a Family,
        info: &Info,
        at_root: bool,
        way: Direction,
        partitions: u64,
    ) -> AmountLayout<'a> {
        let parts = self.parts(types, family, info, at_root, way);
        let all = match parts {
            Some(_) => (BYTES, 0),
            None => types.elements(family, self.elements(info, at_root, way).wrapping_mul(partitions)),
        };
        AmountLayout { parts, all }
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
    /// The number of neighbors in this direction.
    #[inline(always)]
    fn neighbors(self, info: &Info) -> u32 {
        match self {
            Direction::In => info.degrees.0,
            Direction::Out => info.degrees.1,
        }
    }
}

impl Parts<'_> {
    /// The bytes of each part in order; 0 if its datatype is unknown.
    pub fn bytes(&self) -> impl Iterator<Item = u64> {
        (0..self.length as usize).map(|at| self.get(at).unwrap_or(0))
    }

    /// The bytes of all parts.
    #[inline(never)]
    fn sum(&self) -> Result<u64, Unknown> {
        (0..self.length as usize).try_fold(0u64, |sum, at| Ok(sum.wrapping_add(self.get(at)?)))
    }

    /// The handles of the parts' datatypes, if each has its own.
    pub fn types(&self) -> impl Iterator<Item = u64> {
        let address = if let Types::Array(address) = self.types { Some(address) } else { None };
        address.into_iter().flat_map(move |address| (0..self.length as usize).map(move |at| self.type_at(address, at)))
    }

    /// The elements of a part, as [`Types::elements`] says them.
    fn elements(&self, at: usize) -> (u32, u64) {
        self.types_at(at).elements(self.family, self.numbers.get(at))
    }

    #[inline(always)]
    fn types_at(&self, at: usize) -> Types {
        match self.types {
            Types::Array(address) => Types::One(self.type_at(address, at)),
            types => types,
        }
    }

    #[inline(always)]
    fn get(&self, at: usize) -> Result<u64, Unknown> {
        let types = self.types_at(at);
        Ok(types.size(self.family)?.wrapping_mul(self.numbers.get(at)))
    }

    #[inline(always)]
    fn type_at(&self, address: usize, at: usize) -> u64 {
        // SAFETY: the program passes one datatype for each process or neighbor.
        unsafe { self.family.handle_at(address + at * self.family.handle_size) }
    }
}

impl AmountLayout<'_> {
    /// Elements at one place after the other, each with the number of its datatype's definition.
    pub fn elements(&self) -> impl Iterator<Item = (u32, u64)> {
        let (parts, all) = (self.parts, self.all);
        let of_parts = parts.into_iter().flat_map(|parts| (0..parts.length as usize).map(move |at| parts.elements(at)));
        of_parts.chain([all]).filter(|(_, count)| *count > 0)
    }

    /// True if some of them do not lie side by side, or may not.
    pub fn is_scattered(&self) -> bool {
        self.elements().any(|(datatype, _)| datatype != BYTES)
    }
}

impl Types {
    /// So many elements, and the number of their datatype's definition. Those without gaps are so many bytes.
    fn elements(self, family: &Family, count: u64) -> (u32, u64) {
        let Types::One(handle) = self else { return (BYTES, 0) };
        match objects::layout_of(family, handle) {
            BYTES => (BYTES, count.wrapping_mul(objects::size_of(family, handle).unwrap_or(0))),
            layout => (layout, count),
        }
    }

    /// The size of one element in bytes.
    #[inline(always)]
    fn size(self, family: &Family) -> Result<u64, Unknown> {
        match self {
            Types::One(handle) => objects::size_of(family, handle).ok_or(Unknown),
            _ => Ok(0),
        }
    }
}

impl Numbers {
    /// The count at an index.
    #[inline(always)]
    pub fn get(self, at: usize) -> u64 {
        if self.address == 0 {
            // MPI will report the error.
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
