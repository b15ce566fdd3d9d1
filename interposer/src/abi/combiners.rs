//! The constructors of datatypes, as MPI_Type_get_envelope names them.

use traces::file::Abi;

use super::Family;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Combiner {
    /// A predefined datatype with a name.
    Named,
    /// A predefined datatype without a name, as MPI_Type_create_f90_real returns it.
    Unnamed,
    /// MPI_Type_dup and MPI_Type_create_resized: the bytes lie as those of the old datatype.
    Same,
    Contiguous,
    Vector,
    Hvector,
    Indexed,
    Hindexed,
    IndexedBlock,
    HindexedBlock,
    Struct,
    Subarray,
    Darray,
    /// One of a later MPI.
    Unknown,
}

use Combiner::{
    Contiguous, Darray, Hindexed, HindexedBlock, Hvector, Indexed, IndexedBlock, Named, Same, Struct, Subarray,
    Unknown, Unnamed, Vector,
};

/// In the order of Open MPI's numbers, and of MPICH's, which begin at 1. Both number removed forms for Fortran, whose
/// integers mean what those of the others do.
const OLDER: [Combiner; 20] = [
    Named,
    Same,
    Contiguous,
    Vector,
    Hvector,
    Hvector,
    Indexed,
    Hindexed,
    Hindexed,
    IndexedBlock,
    Struct,
    Struct,
    Subarray,
    Darray,
    Unnamed,
    Unnamed,
    Unnamed,
    Same,
    HindexedBlock,
    Unnamed,
];

/// In the order of the standard ABI's numbers.
const STANDARD: [Combiner; 17] = [
    Named,
    Same,
    Contiguous,
    Vector,
    Hvector,
    Indexed,
    Hindexed,
    IndexedBlock,
    HindexedBlock,
    Struct,
    Subarray,
    Darray,
    Unnamed,
    Unnamed,
    Unnamed,
    Same,
    Unnamed,
];

impl Combiner {
    /// True if a handle to such a datatype that MPI_Type_get_contents returns is to be freed.
    pub fn is_freed(self) -> bool {
        !matches!(self, Named | Unnamed | Unknown)
    }
}

impl Family {
    /// The constructor with this number.
    pub fn combiner(&self, number: i32) -> Combiner {
        let (order, first): (&[Combiner], i32) = match self.abi {
            Abi::OpenMpi => (&OLDER, 0),
            Abi::Mpich => (&OLDER, 1),
            Abi::Standard => (&STANDARD, 101),
        };
        let at = usize::try_from(number.wrapping_sub(first)).ok();
        at.and_then(|at| order.get(at)).copied().unwrap_or(Unknown)
    }

    /// MPI_ORDER_C.
    pub fn order_c(&self) -> i64 {
        match self.abi {
            Abi::OpenMpi => 0,
            Abi::Mpich => 56,
            Abi::Standard => 12,
        }
    }
}
