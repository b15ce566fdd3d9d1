//! Ways for the ranks of one host to communicate.

use crate::mpi::Mpi;

/// Names of transports within a host, each with the variables that select it.
pub fn transports(mpi: &Mpi) -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    let no_local = ("MPIR_CVAR_NOLOCAL", "1");
    let mut ways = vec![("default", Vec::new())];
    ways.push((
        "tcp",
        match mpi.name {
            "ompi4" | "ompi5" => vec![("OMPI_MCA_pml", "ob1"), ("OMPI_MCA_btl", "tcp,self")],
            "impi" | "impiabi" => vec![("I_MPI_FABRICS", "ofi"), ("FI_PROVIDER", "tcp")],
            _ => vec![no_local, ("MPIR_CVAR_CH4_NETMOD", "ucx"), ("UCX_TLS", "tcp,self")],
        },
    ));
    if mpi.is_openmpi() {
        let any = [("OMPI_MCA_pml", "ucx"), ("OMPI_MCA_pml_ucx_tls", "any"), ("OMPI_MCA_pml_ucx_devices", "any")];
        ways.push(("ucx", any.into()));
    }
    ways
}
