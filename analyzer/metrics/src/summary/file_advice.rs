//! Advice on calls that use files, by what the call does already.

use traces::calls::{Call, Class};

pub fn is_of_files(call: Call) -> bool {
    matches!(call.class(), Class::Io | Class::File)
}

/// A larger access costs its bytes and not the call: 1 MiB is a stripe of Lustre's default, and takes 1 ms at 1 GB/s.
const LARGE: u64 = 1 << 20;

/// The calls of one line.
#[derive(Clone, Copy)]
pub struct FileCalls {
    pub call: Call,
    /// Calls of a rank.
    pub count: u64,
    /// Bytes of a call on average.
    pub bytes: u64,
}

/// Advice on calls that all ranks spend much time in; `None` if they have no cheaper form.
pub fn of(calls: FileCalls) -> Option<String> {
    let FileCalls { call, count, bytes } = calls;
    if call.class() == Class::Io {
        return Some(of_access(call, count > 1 && bytes < LARGE));
    }
    let next = match call {
        _ if count <= 1 => return None,
        Call::File_sync => "Call it once, after the last access that has to be on the disk.",
        Call::File_open | Call::File_close => "Open the file once and close it at the end.",
        Call::File_set_view => {
            "Set the view once, before the loop, and give the offset to each access (MPI_File_..._at_all)."
        }
        _ => return None,
    };
    Some(next.to_string())
}

/// Advice on accesses, which larger and fewer ones could replace or not.
fn of_access(call: Call, are_small: bool) -> String {
    let name = call.row().name;
    let begins = name.starts_with("File_i") || name.ends_with("_begin");
    let is_collective = call.is_collective_on_file();
    let meanwhile = match is_collective {
        _ if begins => String::new(),
        true if name.contains("_ordered") || name.ends_with("_end") => String::new(),
        true => format!("while the ranks compute (MPI_{})", name.replacen("File_", "File_i", 1)),
        false => "while the ranks compute (MPI_File_i...)".into(),
    };
    let pieces = if are_small {
        format!("in larger pieces{}", if is_collective { " and fewer calls" } else { "" })
    } else {
        "in one piece per rank, if the view (MPI_File_set_view) scatters its bytes".into()
    };
    let together = match is_collective {
        true => String::new(),
        false if begins => "by all ranks together (MPI_File_i..._all)".into(),
        false => "by all ranks together (MPI_File_..._all)".into(),
    };
    let ways: Vec<String> = [pieces, together, meanwhile].into_iter().filter(|way| !way.is_empty()).collect();
    let (last, others) = ways.split_last().map_or((String::new(), &[][..]), |(last, others)| (last.clone(), others));
    if others.is_empty() {
        return format!("Access the file {last}.");
    }
    format!("Access the file {}, or {last}.", others.join(", "))
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

    fn many(call: Call) -> Option<String> {
        of(FileCalls { call, count: 100, bytes: 4096 })
    }

    #[test]
    fn what_was_done_once_or_in_large_pieces_is_not_told_to_be() {
        let once = |call| of(FileCalls { call, count: 1, bytes: 2 << 20 });
        for call in [Call::File_open, Call::File_close, Call::File_sync, Call::File_set_view] {
            assert_eq!(once(call), None, "{}", call.mpi_name());
            assert!(many(call).is_some(), "{}", call.mpi_name());
        }
        assert_eq!(
            once(Call::File_write_at_all).unwrap(),
            "Access the file in one piece per rank, if the view (MPI_File_set_view) scatters its bytes, or while the ranks compute \
             (MPI_File_iwrite_at_all)."
        );
        assert_eq!(
            many(Call::File_write_at).unwrap(),
            "Access the file in larger pieces, by all ranks together (MPI_File_..._all), or while the ranks compute (MPI_File_i...)."
        );
        assert_eq!(many(Call::File_write_all_begin).unwrap(), "Access the file in larger pieces and fewer calls.");
    }

    #[test]
    fn a_collective_access_is_never_told_to_become_collective() {
        let files: Vec<Call> = Call::all().filter(|call| is_of_files(*call)).collect();
        assert!(files.len() > 40);
        for call in files.iter().filter(|call| call.is_collective_on_file()) {
            let text = many(*call).unwrap_or_default();
            assert!(!text.contains("together"), "{}: {text}", call.mpi_name());
        }
        assert!(!Call::Win_lock_all.is_collective_on_file());
        let alone = many(Call::File_write_at).unwrap_or_default();
        assert!(alone.contains("by all ranks together"), "{alone}");
    }

    #[test]
    fn a_nonblocking_form_that_is_named_exists() {
        let named = |call: Call| {
            let text = many(call)?;
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
