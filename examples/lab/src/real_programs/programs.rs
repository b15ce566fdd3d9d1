//! The programs: packages, inputs, and the parts of their results that are the same in every run.
//!
//! Debian's mrbayes-mpi is not here: it is built without MPI.

use examples::mpi::Mpi;

/// A packaged program. In its packages and commands `{mpi}` is Debian's name of the library, openmpi or mpich.
pub struct PackagedProgram {
    /// Name in the table.
    pub name: &'static str,
    /// Libraries it is packaged for.
    pub mpi: &'static [&'static str],
    packages: &'static [&'static str],
    /// Files to create before the run, with their contents.
    pub inputs: &'static [(&'static str, &'static str)],
    /// Shell command before the run, if not empty.
    before: &'static str,
    pub ranks: u32,
    command: &'static str,
    /// Result files that are the same in every run.
    pub results: &'static [&'static str],
    /// Only lines that match one of these regular expressions are compared; all, if there is none.
    pub only: &'static [&'static str],
    /// Parts that match one of these are left out of the comparison.
    pub varies: &'static [&'static str],
    /// Functions the program is known to call.
    pub calls: &'static [&'static str],
}

impl PackagedProgram {
    pub fn packages(&self, mpi: &Mpi) -> Vec<String> {
        self.packages.iter().map(|package| for_library(package, mpi)).collect()
    }

    /// Command line under a library, without the launcher.
    pub fn command(&self, mpi: &Mpi) -> Vec<String> {
        for_library(self.command, mpi).split(' ').map(String::from).collect()
    }

    /// Shell command before the run.
    pub fn before(&self, mpi: &Mpi) -> Option<String> {
        (!self.before.is_empty()).then(|| for_library(self.before, mpi))
    }
}

fn for_library(text: &str, mpi: &Mpi) -> String {
    text.replace("{mpi}", if mpi.is_openmpi() { "openmpi" } else { "mpich" })
}

macro_rules! input {
    ($($file:literal as $name:literal),+) => {
        &[$(($name, include_str!(concat!("inputs/", $file)))),+]
    };
}

/// Defaults.
const PLAIN: PackagedProgram = PackagedProgram {
    name: "",
    mpi: &["ompi4"],
    packages: &[],
    inputs: &[],
    before: "",
    ranks: 4,
    command: "",
    results: &[],
    only: &[],
    varies: &[],
    calls: &["MPI_Finalize"],
};

/// NetPIPE prints rates, and the messages it sent.
const NETPIPE: PackagedProgram = PackagedProgram {
    name: "NetPIPE",
    ranks: 2,
    only: &["bytes"],
    varies: &["-->.*"],
    calls: &["MPI_Send", "MPI_Recv"],
    ..PLAIN
};

const BOTH: &[&str] = &["ompi4", "mpich4"];

/// Rank counts are small because MPICH's ranks spin while they wait: no more ranks than a small machine has cores.
pub const PROGRAMS: &[PackagedProgram] = &[
    // Prints rates of messages and memory besides the checks of its results.
    PackagedProgram {
        name: "HPCC",
        packages: &["hpcc"],
        inputs: input!("hpcc.txt" as "hpccinf.txt"),
        command: "hpcc",
        results: &["hpccoutf.txt"],
        only: &["^Found .* errors", "^  .* tests ", "_errors=", "^Success=", "^M(PIFFT_N|PIRandomAccess_N)="],
        calls: &["MPI_Send", "MPI_Irecv", "MPI_Alltoall"],
        ..PLAIN
    },
    PackagedProgram { packages: &["netpipe-openmpi"], command: "NPopenmpi -u 65536 -n 100", ..NETPIPE },
    PackagedProgram { mpi: &["mpich4"], packages: &["netpipe-mpich2"], command: "NPmpich2 -u 65536 -n 100", ..NETPIPE },
    PackagedProgram {
        name: "LAMMPS",
        packages: &["lammps"],
        inputs: input!("melt.lammps" as "in.melt"),
        command: "lmp -in in.melt",
        results: &["log.lammps"],
        varies: &["^(Loop|Performance|Pair|Neigh|Comm|Output|Modify|Other|Total wall).*", ".* CPU .*"],
        calls: &["MPI_Sendrecv", "MPI_Irecv", "MPI_Cart_create"],
        ..PLAIN
    },
    PackagedProgram {
        name: "GROMACS",
        packages: &["gromacs"],
        inputs: input!("water.mdp" as "md.mdp", "water.top" as "water.top"),
        before: "gmx solvate -cs spc216 -box 2.5 2.5 2.5 -p water.top -o water.gro && \
                 gmx grompp -f md.mdp -c water.gro -p water.top -o run.tpr",
        command: "gmx_mpi mdrun -s run.tpr -ntomp 1 -npme 1 -dlb no -reprod -notunepme",
        results: &["confout.gro"],
        only: &["^ *[0-9]+(SOL|\\.)"],
        calls: &["MPI_Sendrecv", "MPI_Comm_split"],
        ..PLAIN
    },
    PackagedProgram {
        name: "Quantum ESPRESSO",
        packages: &["quantum-espresso"],
        inputs: input!("silicon-atom.ld1" as "atom.in", "silicon.pw" as "silicon.in"),
        before: "ld1.x -in atom.in",
        command: "pw.x -nk 2 -in silicon.in",
        varies: &["(?i).*cpu.*", "(terminated|starts) on.*"],
        calls: &["MPI_Alltoall", "MPI_Allreduce", "MPI_Bcast"],
        ..PLAIN
    },
    PackagedProgram {
        name: "CP2K",
        packages: &["cp2k"],
        inputs: input!("water.cp2k" as "water.inp"),
        command: "cp2k.psmp water.inp",
        only: &["ENERGY\\|", "P_Mix", "^ *MP_"],
        // Time of a step.
        varies: &["E[+-][0-9]+ +[0-9.]+ "],
        calls: &["MPI_Alltoallv", "MPI_Allreduce", "MPI_Waitall"],
        ..PLAIN
    },
    PackagedProgram {
        name: "NWChem",
        mpi: BOTH,
        packages: &["nwchem-{mpi}"],
        inputs: input!("water.nw" as "water.nw"),
        ranks: 2,
        // Without this, Debian's build for MPICH does not converge.
        command: "env ARMCI_USE_WIN_ALLOCATE=0 nwchem.{mpi} water.nw",
        // Ranks add to the same numbers in any order, so the last digits differ.
        only: &["energy ="],
        varies: &["[0-9]{5}$"],
        calls: &["MPI_Win_create", "MPI_Get_accumulate", "MPI_Win_flush_all"],
        ..PLAIN
    },
    // The tests of LU and Cholesky factorizations hang under Debian's Open MPI in every third run, recorded or not.
    PackagedProgram {
        name: "ScaLAPACK QR",
        mpi: BOTH,
        packages: &["scalapack-mpi-test"],
        inputs: input!("QR.dat" as "QR.dat"),
        ranks: 2,
        command: "/usr/lib/x86_64-linux-gnu/scalapack/{mpi}-tests/xdqr",
        only: &["tests "],
        calls: &["MPI_Recv", "MPI_Comm_create"],
        ..PLAIN
    },
    PackagedProgram {
        name: "MUMPS",
        packages: &["mumps-test"],
        inputs: &[("solve.sh", "exec /usr/lib/mumps/dsimpletest </usr/lib/mumps/input_simpletest_real\n")],
        command: "sh solve.sh",
        only: &["Solution is", "INFO", "RINFOG"],
        calls: &["MPI_Isend", "MPI_Recv"],
        ..PLAIN
    },
    PackagedProgram {
        name: "PT-Scotch",
        packages: &["ptscotch", "python3-minimal"],
        inputs: input!("grid.py" as "grid.py"),
        before: "python3 grid.py >grid.src",
        command: "dgord grid.src order.txt",
        // The order of lines depends on the order of messages.
        results: &["order.txt"],
        only: &["^1600$"],
        calls: &["MPI_Allgather"],
        ..PLAIN
    },
    PackagedProgram {
        name: "MPB",
        packages: &["mpb-mpi"],
        inputs: input!("rods.ctl" as "rods.ctl"),
        command: "mpb-mpi rods.ctl",
        only: &["^tefreqs"],
        calls: &["MPI_Allreduce"],
        ..PLAIN
    },
    PackagedProgram {
        name: "PhyML",
        packages: &["phyml"],
        inputs: input!("six.phy" as "six.phy"),
        command: "phyml-mpi -i six.phy -b 8 --r_seed 7",
        results: &["six.phy_phyml_tree.txt", "six.phy_phyml_boot_trees.txt"],
        only: &["^\\("],
        calls: &["MPI_Bcast"],
        ..PLAIN
    },
    PackagedProgram {
        name: "ExaML",
        packages: &["examl"],
        inputs: input!("six.phy" as "six.phy", "six.tree" as "six.tree"),
        before: "parse-examl -s six.phy -n six -m DNA",
        command: "/usr/lib/examl/bin/examl-sse3 -s six.binary -n run -m GAMMA -t six.tree -p 7",
        results: &["ExaML_result.run"],
        only: &["^\\(", "^Likelihood"],
        calls: &["MPI_Allreduce"],
        ..PLAIN
    },
    PackagedProgram {
        name: "BAGEL",
        mpi: &["mpich4"],
        packages: &["bagel"],
        inputs: input!("water.json" as "water.json"),
        ranks: 2,
        command: "BAGEL water.json",
        only: &["^ +[0-9]+ +-?[0-9]+\\.", "dipole", "^ +\\("],
        varies: &["[0-9.]+$"],
        calls: &["MPI_Allreduce"],
        ..PLAIN
    },
    PackagedProgram {
        name: "FFTW",
        packages: &["libfftw3-dev", "libfftw3-mpi-dev", "libopenmpi-dev"],
        inputs: input!("transform.c" as "transform.c"),
        before: "mpicc.openmpi -O1 -o transform transform.c -lfftw3_mpi -lfftw3 -lm",
        command: "./transform",
        calls: &["MPI_Sendrecv", "MPI_Reduce"],
        ..PLAIN
    },
    PackagedProgram {
        name: "HDF5",
        mpi: BOTH,
        packages: &["libhdf5-{mpi}-dev"],
        inputs: input!("rows.c" as "rows.c"),
        before: "h5pcc.{mpi} -o rows rows.c",
        ranks: 2,
        command: "./rows",
        results: &["rows.h5"],
        calls: &["MPI_File_open", "MPI_File_write_at_all", "MPI_File_read_at_all"],
        ..PLAIN
    },
    PackagedProgram {
        name: "mpi4py",
        packages: &["python3-mpi4py"],
        inputs: input!("objects.py" as "objects.py"),
        command: "python3 objects.py",
        calls: &["MPI_Isend", "MPI_Waitall", "MPI_Comm_split"],
        ..PLAIN
    },
];
