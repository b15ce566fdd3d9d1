//! The sizes up to which messages are sent at once, whether their receive is posted or not, and the settings for that.

use super::limits::limits;
use model::{Rank, Run};
use traces::definitions::Interception;

use crate::scheduling::by_host;

limits! {
    /// Larger messages are not buffered: at 10 GB/s the copies of 256 KiB take 50 us, and a receiver needs as much memory for each sender.
    MOST_BYTES = 256 * 1024, Most, "bytes", Derived;
    /// Smaller messages wait for another reason, such as room or a receiver that is not in MPI: no library's limit is below 4 KiB.
    LEAST_BYTES = 4096 - HEADER, Least, "bytes", Measured;
    /// A wait is worth a buffer if it takes this many times as long as the copies into the buffer and out of it.
    WORTH = 10.0, Least, "times", Derived;
}

/// Seconds that a copied byte takes, in and out, at 10 GB/s.
pub const COPIED: f64 = 0.2e-9;
/// Libraries count their own header with a message.
const HEADER: u64 = 256;
/// The setting of UCX.
const UCX: &str = "UCX_RNDV_THRESH";

/// True if a message whose sender waits `wait` seconds for the receive had better be buffered, where those shorter than `least` are.
pub fn pays(bytes: u64, least: u64, wait: f64) -> bool {
    (least..=MOST_BYTES.count()).contains(&bytes) && wait >= WORTH.get() * COPIED * bytes as f64
}

/// A setting of the run that names the limit.
pub struct NamedLimit<'r> {
    /// `OMPI_MCA_btl_vader_eager_limit=512`.
    pub setting: &'r str,
    pub bytes: u64,
}

pub fn named(run: &Run) -> Option<NamedLimit<'_>> {
    let rank = run.first();
    let name = if uses_ucx(rank) { UCX.to_string() } else { format!("OMPI_MCA_{}_eager_limit", layer(run)?) };
    let mut settings = rank.settings.iter().filter_map(|setting| setting.split_once('=').zip(Some(setting)));
    let ((_, value), setting) = settings.find(|((of, _), _)| *of == name)?;
    Some(NamedLimit { setting, bytes: bytes(value)? })
}

/// Messages shorter than this need no receive: a setting may put the limit below that of any library.
pub fn least_bytes(run: &Run) -> u64 {
    named(run).map_or(LEAST_BYTES.count(), |limit| limit.bytes.min(LEAST_BYTES.count()))
}

/// `512`, `8k`, `1m`; `None` for words such as `auto` and `inf`.
fn bytes(value: &str) -> Option<u64> {
    let value = value.trim().to_lowercase();
    let value = value.trim_end_matches('b');
    let (digits, unit) = match value.strip_suffix('k') {
        Some(digits) => (digits, 1 << 10),
        None => (value.trim_end_matches('m'), if value.ends_with('m') { 1 << 20 } else { 1 }),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// The setting by which messages of this size are sent at once.
pub fn setting(run: &Run, bytes: u64) -> String {
    let limit = (bytes + HEADER).next_power_of_two();
    if uses_ucx(run.first()) {
        return format!("{UCX}={limit}");
    }
    match layer(run) {
        Some(layer) => format!("mpirun --mca {layer}_eager_limit {limit}"),
        None => "the manual of your MPI names it (\"eager\")".into(),
    }
}

fn uses_ucx(rank: &Rank) -> bool {
    rank.library.version.contains("ch4:ucx") || rank.components.iter().any(|part| part.way == Interception::Ucx)
}

/// The part of Open MPI that moves most messages.
fn layer(run: &Run) -> Option<&'static str> {
    let name = run.first().library.name();
    let version = name.strip_prefix("Open MPI ")?;
    let is_old = version.split('.').next().and_then(|major| major.parse().ok()).is_some_and(|major: u32| major < 5);
    Some(match (by_host(run).len(), is_old) {
        (1, true) => "btl_vader",
        (1, false) => "btl_sm",
        _ => "btl_tcp",
    })
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
        let pays = |bytes, wait| super::pays(bytes, LEAST_BYTES.count(), wait);
        assert!(pays(64 * 1024, 0.001));
        assert!(!pays(64 * 1024, 0.000_1), "the copies take 13 us");
        assert!(!pays(2000, 0.1), "no library waits for the receive of so few");
        assert!(super::pays(2000, 512, 0.1), "a setting makes it");
        assert!(!pays(4 * MOST_BYTES.count(), 0.1), "too large to be kept for each sender");
    }

    #[test]
    fn limits_have_units_and_words_are_none() {
        assert_eq!(["512", "8k", "4KB", "1m"].map(bytes), [512, 8192, 4096, 1 << 20].map(Some));
        assert_eq!(["inf", "auto", "", "intra:8k"].map(bytes), [None; 4]);
    }
}
