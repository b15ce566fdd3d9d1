//! The sizes up to which messages are sent at once, whether their receive is posted or not, and the settings for that.

use model::Run;
use traces::definitions::Interception;

use crate::scheduling::by_host;

/// Larger messages are not buffered: at 10 GB/s the copies of 256 KiB take 50 us, and a receiver needs as much memory for each sender.
pub const MOST_BYTES: u64 = 256 * 1024;
/// Smaller messages wait for another reason, such as room or a receiver that is not in MPI: no library's limit is below 4 KiB.
pub const LEAST_BYTES: u64 = 4096 - HEADER;
/// A wait is worth a buffer if it takes this many times as long as the copies into the buffer and out of it.
const WORTH: f64 = 10.0;
/// Seconds that a copied byte takes, in and out, at 10 GB/s.
pub const COPIED: f64 = 0.2e-9;
/// Libraries count their own header with a message.
const HEADER: u64 = 256;

/// True if a message whose sender waits `wait` seconds for the receive had better be buffered.
pub fn pays(bytes: u64, wait: f64) -> bool {
    (LEAST_BYTES..=MOST_BYTES).contains(&bytes) && wait >= WORTH * COPIED * bytes as f64
}

/// The setting by which messages of this size are sent at once.
pub fn setting(run: &Run, bytes: u64) -> String {
    let rank = run.first();
    let (name, limit) = (rank.library.name(), (bytes + HEADER).next_power_of_two());
    let uses_ucx =
        rank.library.version.contains("ch4:ucx") || rank.components.iter().any(|part| part.way == Interception::Ucx);
    if uses_ucx {
        return format!("UCX_RNDV_THRESH={limit}");
    }
    let Some(version) = name.strip_prefix("Open MPI ") else {
        return "the manual of your MPI names it (\"eager\")".into();
    };
    let is_old = version.split('.').next().and_then(|major| major.parse().ok()).is_some_and(|major: u32| major < 5);
    let layer = match (by_host(run).len(), is_old) {
        (1, true) => "btl_vader",
        (1, false) => "btl_sm",
        _ => "btl_tcp",
    };
    format!("mpirun --mca {layer}_eager_limit {limit}")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_setting_is_that_of_the_library_and_its_limit_the_next_power_of_two() {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/samples");
        let of = |name: &str, bytes| setting(&Run::load(&samples.join(name)).unwrap(), bytes);
        assert_eq!(of("integer_sort-openmpi", 5000), "mpirun --mca btl_vader_eager_limit 8192");
        assert_eq!(of("integer_sort-openmpi", 8192), "mpirun --mca btl_vader_eager_limit 16384");
        assert_eq!(of("integer_sort-mpich", 5000), "UCX_RNDV_THRESH=8192", "Debian's MPICH uses UCX");
    }

    #[test]
    fn a_buffer_pays_for_small_messages_that_wait_for_long() {
        assert!(pays(64 * 1024, 0.001));
        assert!(!pays(64 * 1024, 0.000_1), "the copies take 13 us");
        assert!(!pays(2000, 0.1), "no library waits for the receive of so few");
        assert!(!pays(4 * MOST_BYTES, 0.1), "too large to be kept for each sender");
    }
}
