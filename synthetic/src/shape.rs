//! The shape of a run to generate.

/// How large a run is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Ranks, at least one.
    pub ranks: u32,
    /// Calls that each rank makes, less than one step's more or fewer.
    pub calls: u64,
    /// Whom a rank exchanges halos with.
    pub topology: Topology,
    /// Runs of the same shape and seed are the same to the byte.
    pub seed: u64,
}

/// Whom a rank exchanges halos with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topology {
    /// The rank before and the one behind it.
    Ring,
    /// The four around it on a grid that is as square as the number of ranks allows.
    Torus,
}
