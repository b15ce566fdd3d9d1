//! In how many pieces an element of a datatype lies, from the constructors that made it.
//!
//! In: a datatype that MPI has accepted. MPI tells its constructor and the datatypes that this was given, down to the
//! predefined ones. Out: the number of its definition. Pieces that touch in the order of the type map count as one.

use traces::calls::Call;
use traces::definitions::Datatype;
use traces::layout::BYTES;

use crate::abi::Family;
use crate::abi::combiners::Combiner;
use crate::real;
use crate::recorder::file::layouts;

/// Limit on the datatypes inside each other, and on the numbers that all of their constructors were given.
const DEEPEST: u32 = 16;
const MOST_NUMBERS: usize = 1 << 20;

/// Where bytes lie, in the order of the type map, from the address of an element.
#[derive(Clone, Copy, Default)]
struct Pieces {
    count: u64,
    /// Begin of the first one and end of the last one.
    begin: i64,
    end: i64,
}

/// The arguments of a constructor.
struct Construction {
    combiner: Combiner,
    /// Integers, then addresses or large counts: each constructor gets them in this order.
    numbers: Vec<i64>,
    types: Vec<u64>,
}

/// The number of the definition of a datatype of this size; 0 if there is no room for another one.
pub fn define(family: &Family, handle: u64, size: u64) -> u32 {
    let mut walk = Walk { family, numbers: 0 };
    let shape = walk.pieces(handle, DEEPEST).zip(extent(handle));
    match shape {
        Some((Pieces { count, begin, end }, extent)) => {
            let joins = end == begin.wrapping_add(extent);
            match (count, joins) {
                (0, _) | (1, true) => BYTES,
                _ => layouts::datatype(Datatype { number: 0, size, extent, pieces: Some(count), joins }),
            }
        }
        None => layouts::datatype(Datatype { number: 0, size, extent: 0, pieces: None, joins: false }),
    }
}

impl Pieces {
    /// So many elements, each `stride` bytes behind the one before.
    fn repeated(self, times: i64, stride: i64) -> Pieces {
        let Pieces { count, begin, end } = self;
        if times <= 0 || count == 0 {
            return Pieces::default();
        }
        let further = times - 1;
        let joined = if end == begin.wrapping_add(stride) { further as u64 } else { 0 };
        let count = count.saturating_mul(times as u64).saturating_sub(joined);
        Pieces { count, begin, end: end.wrapping_add(stride.wrapping_mul(further)) }
    }

    /// More pieces behind these, `at` bytes from the address of the element.
    fn add(&mut self, next: Pieces, at: i64) {
        let (begin, end) = (next.begin.wrapping_add(at), next.end.wrapping_add(at));
        if next.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = Pieces { count: next.count, begin, end };
            return;
        }
        let joined = u64::from(self.end == begin);
        (self.count, self.end) = (self.count.saturating_add(next.count - joined), end);
    }
}

struct Envelope {
    combiner: Combiner,
    integers: usize,
    addresses: usize,
    counts: usize,
    types: usize,
}

struct Walk<'f> {
    family: &'f Family,
    /// Numbers that were read so far.
    numbers: usize,
}

impl Walk<'_> {
    /// The pieces of an element; `None` if MPI does not tell them.
    fn pieces(&mut self, handle: u64, deeper: u32) -> Option<Pieces> {
        if let Some(size) = self.family.datatype_size(handle) {
            return Some(Pieces { count: size.min(1), begin: 0, end: size as i64 });
        }
        let made = self.construction(handle)?;
        let pieces = match made.combiner {
            Combiner::Named | Combiner::Unnamed => predefined(handle),
            _ if deeper == 0 => None,
            _ => self.constructed(&made, deeper - 1),
        };
        for mut inner in made.types {
            if self.envelope(inner).is_some_and(|envelope| envelope.combiner.is_freed()) {
                // SAFETY: MPI_Type_get_contents has made this handle for us.
                unsafe { real::invoke(Call::Type_free, [&raw mut inner as usize]) };
            }
        }
        pieces
    }

    fn constructed(&mut self, made: &Construction, deeper: u32) -> Option<Pieces> {
        let numbers = &made.numbers;
        let number = |at: usize| numbers.get(at).copied();
        if made.combiner == Combiner::Struct {
            let (mut all, count) = (Pieces::default(), usize::try_from(number(0)?).ok()?);
            for (at, inner) in made.types.iter().enumerate() {
                let (times, place) = (number(1 + at)?, number(1 + count + at)?);
                let element = self.pieces(*inner, deeper)?;
                all.add(element.repeated(times, extent(*inner)?), place);
            }
            return Some(all);
        }
        let inner = *made.types.first()?;
        let (element, extent) = (self.pieces(inner, deeper)?, extent(inner)?);
        let block = |times: i64| element.repeated(times, extent);
        match made.combiner {
            Combiner::Same => Some(element),
            Combiner::Contiguous => Some(block(number(0)?)),
            Combiner::Vector => Some(block(number(1)?).repeated(number(0)?, number(2)?.wrapping_mul(extent))),
            Combiner::Hvector => Some(block(number(1)?).repeated(number(0)?, number(2)?)),
            Combiner::Indexed | Combiner::Hindexed => {
                let (mut all, count) = (Pieces::default(), usize::try_from(number(0)?).ok()?);
                let unit = if made.combiner == Combiner::Indexed { extent } else { 1 };
                let (lengths, places) = numbers.get(1..1 + 2 * count)?.split_at(count);
                for (times, place) in lengths.iter().zip(places) {
                    all.add(block(*times), place.wrapping_mul(unit));
                }
                Some(all)
            }
            Combiner::IndexedBlock | Combiner::HindexedBlock => {
                let (mut all, count) = (Pieces::default(), usize::try_from(number(0)?).ok()?);
                let unit = if made.combiner == Combiner::IndexedBlock { extent } else { 1 };
                for place in numbers.get(2..2 + count)? {
                    all.add(block(number(1)?), place.wrapping_mul(unit));
                }
                Some(all)
            }
            Combiner::Subarray => self.subarray(numbers, element, extent),
            _ => None,
        }
    }

    /// The numbers are the dimensions, then their sizes, lengths and begins, then the order.
    fn subarray(&self, numbers: &[i64], element: Pieces, extent: i64) -> Option<Pieces> {
        let (dimensions, numbers) = numbers.split_first()?;
        let dimensions = usize::try_from(*dimensions).ok()?;
        let number = |row: usize, at: usize| numbers.get(row * dimensions + at).copied();
        let is_row_major = number(3, 0)? == self.family.order_c();
        let (mut block, mut stride, mut offset) = (element, extent, 0i64);
        for at in 0..dimensions {
            let dimension = if is_row_major { dimensions - 1 - at } else { at };
            offset = offset.wrapping_add(number(2, dimension)?.wrapping_mul(stride));
            block = block.repeated(number(1, dimension)?, stride);
            stride = stride.wrapping_mul(number(0, dimension)?);
        }
        let mut moved = Pieces::default();
        moved.add(block, offset);
        Some(moved)
    }

    /// Asks MPI for the arguments that a datatype was made with.
    fn construction(&mut self, handle: u64) -> Option<Construction> {
        let envelope = self.envelope(handle)?;
        let Envelope { combiner, integers, addresses, counts, types } = envelope;
        let mut made = Construction { combiner, numbers: Vec::new(), types: Vec::new() };
        if matches!(combiner, Combiner::Named | Combiner::Unnamed) {
            return Some(made);
        }
        self.numbers = self.numbers.saturating_add(integers + addresses + counts + types);
        if combiner == Combiner::Unknown || self.numbers > MOST_NUMBERS {
            return None;
        }
        let (mut small, mut places) = (vec![0i32; integers], vec![0i64; addresses]);
        let (mut large, mut handles) = (vec![0i64; counts], vec![0u64; types]);
        let to = [small.as_mut_ptr() as usize, places.as_mut_ptr() as usize, handles.as_mut_ptr() as usize];
        let handle = handle as usize;
        // SAFETY: there is room for as much as MPI has.
        let code = unsafe {
            match real::exists(Call::Type_get_contents_c) {
                true => {
                    let to_counts = large.as_mut_ptr() as usize;
                    let all = [handle, integers, addresses, counts, types, to[0], to[1], to_counts, to[2]];
                    real::invoke(Call::Type_get_contents_c, all)
                }
                false => {
                    real::invoke(Call::Type_get_contents, [handle, integers, addresses, types, to[0], to[1], to[2]])
                }
            }
        };
        if code != 0 {
            return None;
        }
        let begin = handles.as_ptr() as usize;
        // SAFETY: MPI has written so many handles there.
        made.types =
            (0..types).map(|at| unsafe { self.family.handle_at(begin + at * self.family.handle_size) }).collect();
        made.numbers.extend(small.into_iter().map(i64::from));
        if combiner == Combiner::Subarray && counts > 0 && integers > 1 {
            let order = made.numbers.remove(1);
            large.push(order);
        }
        made.numbers.extend(places.into_iter().chain(large));
        Some(made)
    }

    /// How a datatype was made, and the lengths of the lists of its arguments.
    fn envelope(&self, handle: u64) -> Option<Envelope> {
        let (mut lengths, mut combiner) = ([0i64; 4], -1i32);
        let [integers, addresses, counts, types] = lengths.each_mut().map(|length| std::ptr::from_mut(length) as usize);
        let (handle, made_by) = (handle as usize, &raw mut combiner as usize);
        // SAFETY: MPI has accepted the datatype. An int fits where a count does, in its lower half.
        let code = unsafe {
            match real::exists(Call::Type_get_envelope_c) {
                // The other form refuses datatypes of large counts.
                true => real::invoke(Call::Type_get_envelope_c, [handle, integers, addresses, counts, types, made_by]),
                false => real::invoke(Call::Type_get_envelope, [handle, integers, addresses, types, made_by]),
            }
        };
        let [integers, addresses, counts, types] = lengths.map(|length| usize::try_from(length).unwrap_or(0));
        let combiner = self.family.combiner(combiner);
        (code == 0).then_some(Envelope { combiner, integers, addresses, counts, types })
    }
}

/// The pieces of a predefined datatype. Those of two numbers have a gap between them, or none.
fn predefined(handle: u64) -> Option<Pieces> {
    let mut size = 0i64;
    // SAFETY: MPI has accepted the datatype.
    let code = unsafe { real::invoke(Call::Type_size_x, [handle as usize, &raw mut size as usize]) };
    if code != 0 {
        return None;
    }
    if size == 0 {
        return Some(Pieces::default());
    }
    let (begin, length) = ask(Call::Type_get_true_extent, handle)?;
    Some(Pieces { count: if length == size { 1 } else { 2 }, begin, end: begin.wrapping_add(length) })
}

/// Bytes from one element to the next.
fn extent(handle: u64) -> Option<i64> {
    ask(Call::Type_get_extent, handle).map(|(_, extent)| extent)
}

/// The lower bound and the extent that an MPI function `(MPI_Datatype, MPI_Aint *, MPI_Aint *)` returns.
fn ask(call: Call, handle: u64) -> Option<(i64, i64)> {
    let (mut lower, mut extent) = (0i64, 0i64);
    let arguments = [handle as usize, &raw mut lower as usize, &raw mut extent as usize];
    // SAFETY: MPI has accepted the datatype.
    (unsafe { real::invoke(call, arguments) } == 0).then_some((lower, extent))
}
