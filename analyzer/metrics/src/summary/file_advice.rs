//! Advice on calls that use files, by what the call does already.

use traces::calls::{Call, Class};

pub fn is_of_files(call: Call) -> bool {
    matches!(call.class(), Class::Io | Class::File)
}

/// Advice on a call that all ranks spend much time in; `None` if the call has no cheaper form.
pub fn of(call: Call) -> Option<String> {
    let row = call.row();
    let begins = row.name.starts_with("File_i") || row.name.ends_with("_begin");
    let next = if row.class == Class::Io && call.is_collective_on_file() {
        match begins || row.name.contains("_ordered") || row.name.ends_with("_end") {
            true => "Access the file in larger pieces and fewer calls.".to_string(),
            false => format!(
                "Access the file in larger pieces and fewer calls, or while the ranks compute (MPI_{}).",
                row.name.replacen("File_", "File_i", 1)
            ),
        }
    } else if row.class == Class::Io && begins {
        "Access the file in larger pieces, or by all ranks together (MPI_File_i..._all).".to_string()
    } else if row.class == Class::Io {
        "Access the file in larger pieces, by all ranks together (MPI_File_..._all), or while they compute (MPI_File_i...).".to_string()
    } else {
        match call {
            Call::File_sync => "Call it once, after the last access that has to be on the disk.",
            Call::File_open | Call::File_close => "Open the file once and close it at the end.",
            Call::File_set_view => {
                "Set the view once, before the loop, and give the offset to each access (MPI_File_..._at_all)."
            }
            _ => return None,
        }
        .to_string()
    };
    Some(next)
}

/// Advice on a collective call that few ranks spend more time in than the others, which wait for them.
pub fn of_late(call: Call) -> &'static str {
    if call.class() == Class::Io {
        "Compare the sizes to see whether that call accesses more than the others' calls; the hint cb_nodes sets how many ranks access the \
         file for all."
    } else {
        "Do it less often, or when the others have nothing to wait for."
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collective_access_is_never_told_to_become_collective() {
        let files: Vec<Call> = Call::all().filter(|call| is_of_files(*call)).collect();
        assert!(files.len() > 40);
        for call in files.iter().filter(|call| call.is_collective_on_file()) {
            let text = of(*call).unwrap_or_default();
            assert!(!text.contains("together"), "{}: {text}", call.mpi_name());
        }
        assert!(!Call::Win_lock_all.is_collective_on_file());
        let alone = of(Call::File_write_at).unwrap_or_default();
        assert!(alone.contains("by all ranks together"), "{alone}");
    }

    #[test]
    fn a_nonblocking_form_that_is_named_exists() {
        let named = |call: Call| {
            let text = of(call)?;
            let (_, name) = text.split_once("(MPI_File_i")?;
            Some(format!("File_i{}", name.split_once(')')?.0)).filter(|name| !name.contains('.'))
        };
        let names: Vec<String> = Call::all().filter(|call| is_of_files(*call)).filter_map(named).collect();
        assert!(names.len() >= 4);
        for name in names {
            assert!(Call::named(&name).is_some(), "{name}");
        }
    }
}
