//! The shape of a run to generate.

/// The size and topology of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    pub ranks: u32,
    /// The number of calls that each rank makes, up to one step's calls more or fewer.
    pub calls: u64,
    /// The topology of the halo exchange.
    pub topology: Topology,
    /// Runs of the same shape and seed are the same to the byte.
    pub seed: u64,
}

/// The topology of the halo exchange.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topology {
    /// Each rank exchanges with the ranks before and after it.
    Ring,
    /// Each rank exchanges with the four around it, on a grid that is as square as the number of ranks allows.
    Torus,
}
