//! Environment variables that set up an MPI library, its network, or threads.

/// Beginnings of their names.
const PREFIXES: [&str; 15] = [
    "OMPI_MCA_",
    "MPICH_",
    "MPIR_CVAR_",
    "I_MPI_",
    "MV2_",
    "MVP_",
    "UCX_",
    "FI_",
    "PSM2_",
    "PSM3_",
    "HCOLL_",
    "SHARP_",
    "OMP_",
    "KMP_",
    "GOMP_",
];

/// Beginnings of the names that launchers and installations set by themselves.
const NOT_BY_USERS: [&str; 23] = [
    "OMPI_MCA_PREFIXES",
    "OMPI_MCA_cpu_type",
    "OMPI_MCA_ess",
    "OMPI_MCA_initial_wdir",
    "OMPI_MCA_mpi_oversubscribe",
    "OMPI_MCA_num_procs",
    "OMPI_MCA_orte_",
    "OMPI_MCA_pmix",
    "OMPI_MCA_prte_",
    "OMPI_MCA_rmaps_base_oversubscribe",
    "OMPI_MCA_shmem_RUNTIME_",
    "MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
    "I_MPI_BIND_WIN_ALLOCATE",
    "I_MPI_HYDRA_",
    "I_MPI_INFO_",
    "I_MPI_INTERNAL_MEM_POLICY",
    "I_MPI_MPIRUN",
    "I_MPI_PIN_INFO",
    "I_MPI_PIN_MAPPING",
    "I_MPI_RETURN_WIN_MEM_NUMA",
    "I_MPI_ROOT",
    "FI_PROVIDER_PATH",
    "MPICH_INTERFACE_HOSTNAME",
];

/// True if a user sets up MPI or threads by a variable of this name.
pub fn sets_up_mpi(name: &str) -> bool {
    let begins = |begin: &&str| name.starts_with(*begin);
    PREFIXES.iter().any(begins) && !NOT_BY_USERS.iter().any(begins)
}

/// True if launchers and installations set the library's parameter of this name by themselves.
pub fn is_of_launch(parameter: &str) -> bool {
    NOT_BY_USERS.iter().any(|begin| parameter.starts_with(begin.strip_prefix("OMPI_MCA_").unwrap_or(begin)))
}

/// The variable that MPICH's and Intel MPI's launcher sets for its processes, and they for theirs. It ends the job if it
/// cannot write what a process has written to stderr, as on a full disk or into a closed pipe.
pub const OF_HYDRA: &str = "MPI_LOCALNRANKS";

#[cfg(test)]
mod tests {
    use super::{is_of_launch, sets_up_mpi};

    #[test]
    fn the_choices_of_users_are_told_from_those_of_launchers() {
        for name in [
            "OMPI_MCA_btl",
            "OMPI_MCA_coll_tuned_use_dynamic_rules",
            "MPICH_ASYNC_PROGRESS",
            "I_MPI_PIN_DOMAIN",
            "OMP_NUM_THREADS",
        ] {
            assert!(sets_up_mpi(name), "{name}");
        }
        for name in [
            "OMPI_MCA_orte_hnp_uri",
            "OMPI_MCA_ess_base_vpid",
            "OMPI_MCA_rmaps_base_oversubscribe",
            "OMPI_COMM_WORLD_RANK",
            "I_MPI_PIN_MAPPING",
            "PATH",
            "PMI_RANK",
        ] {
            assert!(!sets_up_mpi(name), "{name}");
        }
        assert_eq!(["orte_hnp_uri", "ess", "btl", "pml_ob1_verbose"].map(is_of_launch), [true, true, false, false]);
    }
}
