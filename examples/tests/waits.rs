//! What a program plants of waiting is found: how long, on which rank, at which line and for whom.

mod common;

use common::{assert_planted, libraries};
use examples::program::Program;

macro_rules! planted {
    ($($name:ident)*) => {
        mod the_planted_waits_are_found_in {
            $(
                #[test]
                fn $name() {
                    super::is_found(stringify!($name));
                }
            )*
        }

        #[test]
        fn every_program_that_plants_waits_is_run_here() {
            let mut listed = vec![$(stringify!($name)),*];
            listed.sort();
            let plants = |name: &String| !Program::read(name).waits.is_empty();
            assert_eq!(Program::names().into_iter().filter(plants).collect::<Vec<_>>(), listed);
        }
    };
}

planted! {
    comm_churn early_reduce early_scan imbalance late_broadcast late_cancelled late_partitioned late_receiver
    late_sender mprobe neighbor_late neighbor_persistent nxn persistent_halo rma_fence rma_lock rma_pscw
    wait_at_barrier wildcard wrong_order
}

fn is_found(name: &str) {
    let program = Program::read(name);
    for mpi in libraries().iter().filter(|mpi| program.runs_under(mpi)) {
        assert_planted(&program, mpi, &[]);
    }
}
