//! Recording, and what it needs of the machine and the launcher.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

use super::Settings;

/// The flags of `record`.
#[derive(Args)]
pub struct RecordArgs {
    /// How to record.
    #[command(flatten)]
    pub settings: Settings,
    /// The program and its arguments, or the launcher with its own
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// The arguments of `doctor`.
#[derive(Args)]
pub struct DoctorArgs {
    /// A short MPI program with its launcher, to record as a test: mpirun -n 2 ./app
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// The flags of `env`.
#[derive(Args)]
pub struct EnvArgs {
    /// The launcher to write it for
    #[arg(long)]
    pub launcher: Launcher,
    /// How to record.
    #[command(flatten)]
    pub settings: Settings,
}

/// Whose way of handing the environment to ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Launcher {
    /// Open MPI's mpirun and mpiexec.
    Openmpi,
    /// MPICH's and Intel MPI's.
    Mpich,
    /// Slurm's srun.
    Slurm,
    /// Flux's flux run.
    Flux,
    /// Cray's aprun, of ALPS and PALS.
    Aprun,
    /// Cray's mpiexec, of PALS.
    Pals,
}
