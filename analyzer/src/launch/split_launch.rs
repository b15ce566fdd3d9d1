//! A launch whose processes never met: its launcher belongs to another MPI library, so each process records a run of
//! one rank.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use traces::file::Abi;
use traces::folder;
use traces::read::{self, RankFile};

use super::recognize;
use crate::cli::Launcher;
use metrics::words::plural;
use model::Rank;

/// Launchers of MPI libraries, by installed name.
const LAUNCHERS: [&str; 5] = ["mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich", "mpiexec.hydra"];

/// Returns the numbered folders beside a run's: the recorder makes one for each further rank 0 of a launch.
pub fn numbered(folder: &Path) -> Vec<PathBuf> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let numbered = (2..).map(|number: u32| folder.with_file_name(format!("{name}-{number}")));
    numbered.take_while(|folder| folder.is_dir()).collect()
}

/// Returns a warning with a cure if the launch left runs of one rank in other folders than this rank's; `before` are
/// those that existed before.
pub fn warning(folder: &Path, before: &[PathBuf], rank: &Rank, launcher: &OsStr) -> Option<String> {
    let is_alone = |folder: &Path| {
        let files = read::rank_files(folder).unwrap_or_default();
        let first = files.iter().find(|file| file.ends_with(folder::file_name(0, 0)));
        first.and_then(|file| RankFile::open(file).ok()).is_some_and(|file| file.header().size == 1)
    };
    if rank.header.size != 1 {
        return None;
    }
    let new = numbered(folder).into_iter().filter(|folder| !before.contains(folder) && is_alone(folder)).count();
    (new > 0).then(|| {
        let (named, library) = (launcher.to_string_lossy(), rank.library.name());
        format!(
            "{} of 1 rank each instead of one of {}: {}. Each process takes itself for the only one. {}",
            plural(new as u64 + 1, "run"),
            plural(new as u64 + 1, "rank"),
            match (recognize(launcher), family_of(rank)) {
                (Some(Launcher::Openmpi), Some(Launcher::Mpich)) =>
                    format!("{named} is Open MPI's launcher, and the program runs with {library}"),
                (Some(Launcher::Mpich), Some(Launcher::Openmpi)) =>
                    format!("{named} is the launcher of MPICH and Intel MPI, and the program runs with {library}"),
                _ => format!("{named} did not tell the processes of each other, which run with {library}"),
            },
            cure(rank, launcher)
        )
    })
}

/// The launcher of a rank's library, by its ABI.
fn family_of(rank: &Rank) -> Option<Launcher> {
    match Abi::from_number(rank.header.abi)? {
        Abi::OpenMpi => Some(Launcher::Openmpi),
        Abi::Mpich => Some(Launcher::Mpich),
        Abi::Standard => None,
    }
}

fn cure(rank: &Rank, launcher: &OsStr) -> String {
    let fits = |name: &&&str| family_of(rank).is_some_and(|family| recognize(name.as_ref()) == Some(family));
    match (recognize(launcher), LAUNCHERS.iter().find(fits)) {
        (Some(Launcher::Slurm), _) => {
            "`srun --mpi=list` names the ways to start such a program: try srun --mpi=pmix or --mpi=pmi2".into()
        }
        (_, Some(name)) => {
            format!("Start it by {name}, or build it with the mpicc beside {}", launcher.to_string_lossy())
        }
        _ => format!("Start it by the mpirun of the installation that {} is part of", rank.library.path),
    }
}
