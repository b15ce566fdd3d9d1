//! Runs the programs in `programs/` under every MPI at hand, with and without the recorder, and reads back what was
//! recorded.
//!
//! [`mpi`] knows the MPI libraries and how they are installed, [`program`] builds a program and knows what it states,
//! [`run`] runs it, [`truth`] and [`waits`] compare what it has [`stated`] with what the command says, an [`answer`]. [`fixture`] packs what was
//! recorded, for where no MPI is. [`conformance`] writes programs that call every function.
//!
//! Floors, the highest first; a file uses only files on lower ones:
//!
//! ```text
//! lib
//! conformance
//! choice diagnosis held_out loops memcheck mpi4py planted_waits truth verdicts
//! fixture
//! build running
//! python
//! run
//! answer browser otf2 program transport
//! command rota stated
//! launch_turns mpi
//! aarch64
//! environment golden packages slurm
//! wheel
//! machine processor_time used
//! ```

pub mod aarch64;
pub mod answer;
pub mod browser;
pub mod build;
pub mod choice;
pub mod command;
pub mod conformance;
pub mod diagnosis;
pub mod environment;
pub mod fixture;
pub mod glibc;
pub mod golden;
pub mod held_out;
pub mod launch_turns;
pub mod loops;
pub mod machine;
pub mod memcheck;
pub mod mpi;
pub mod mpi4py;
pub mod otf2;
pub mod packages;
pub mod planted_waits;
pub mod processor_time;
pub mod program;
pub mod python;
pub mod rota;
pub mod run;
pub mod running;
pub mod slurm;
pub mod stated;
pub mod transport;
pub mod truth;
pub mod used;
pub mod verdicts;
pub mod wheel;

pub use machine::{target, workspace};
