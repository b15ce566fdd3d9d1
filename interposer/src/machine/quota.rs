//! The quota of processor time that the process's control groups set, and how often it stopped them.

use std::ffi::CString;
use std::sync::OnceLock;

use traces::machine::{Machine, Throttling, UsageMoment};

use super::{read_into, text};

/// The file that says how often the quota stopped the processes of the group whose quota is the smallest; `None` where
/// no group has one.
static STATISTICS: OnceLock<Option<CString>> = OnceLock::new();

/// A group's quota in thousandths of a core, and where it says how often that stopped its processes.
struct Quota {
    limit: u64,
    statistics: String,
}

/// The smallest quota of the process's control group and those around it, in thousandths of a core;
/// [`Machine::UNLIMITED`] if there is none, `None` if the process's groups cannot be read.
pub fn limit() -> Option<u32> {
    let groups = text("/proc/self/cgroup")?;
    let mut quotas: Vec<Quota> = Vec::new();
    for line in groups.lines() {
        // hierarchy:controllers:path, the second hierarchy's without controllers.
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        if controllers.is_empty() {
            quotas.extend(around(path).filter_map(|group| unified(&group)));
        } else if controllers.split(',').any(|controller| controller == "cpu") {
            quotas.extend(around(path).filter_map(|group| separate(controllers, &group)));
        }
    }
    let least = quotas.into_iter().min_by_key(|quota| quota.limit);
    let limit = least.as_ref().map_or(u64::from(Machine::UNLIMITED), |quota| quota.limit);
    STATISTICS.get_or_init(|| CString::new(least?.statistics).ok());
    u32::try_from(limit).ok()
}

/// How often the quota that [`limit`] has found stopped the group's processes so far.
pub fn throttling(moment: UsageMoment, ticks: u64) -> Option<Throttling> {
    let mut buffer = [0; 1024];
    let text = std::str::from_utf8(read_into(STATISTICS.get()?.as_ref()?, &mut buffer)?).ok()?;
    let number = |name: &str| -> Option<u64> {
        let is_it = |line: &&str| line.split_once(' ').is_some_and(|(key, _)| key == name);
        text.lines().find(is_it)?.split_once(' ')?.1.parse().ok()
    };
    // Version 2 of control groups counts microseconds, version 1 nanoseconds.
    let time = number("throttled_usec").map(|time| time.saturating_mul(1000)).or_else(|| number("throttled_time"))?;
    Some(Throttling { moment, ticks, periods: number("nr_periods")?, throttled: number("nr_throttled")?, time })
}

/// A group's path and those of the groups around it. In a container the outer ones may have other names, or none.
fn around(path: &str) -> impl Iterator<Item = String> {
    let path = path.trim_end_matches('/').to_string();
    let ends: Vec<usize> = path.match_indices('/').map(|(at, _)| at).chain([path.len()]).collect();
    ends.into_iter().rev().filter_map(move |end| Some(path.get(..end)?.to_string()))
}

/// The quota of a group of cgroup version 2: `200000 100000` or `max 100000`, in microseconds.
fn unified(group: &str) -> Option<Quota> {
    let text = text(&format!("/sys/fs/cgroup{group}/cpu.max"))?;
    let (quota, period) = text.split_once(' ')?;
    let limit = in_thousandths(quota.parse().ok()?, period.parse().ok()?)?;
    Some(Quota { limit, statistics: format!("/sys/fs/cgroup{group}/cpu.stat") })
}

/// The quota of a group of cgroup version 1; it is -1 for none.
fn separate(controllers: &str, group: &str) -> Option<Quota> {
    let of = |folder: &str| {
        let path = |file: &str| format!("/sys/fs/cgroup/{folder}{group}/{file}");
        let read = |file: &str| text(&path(file))?.parse::<i64>().ok();
        let (quota, period) = (read("cpu.cfs_quota_us")?, read("cpu.cfs_period_us")?);
        Some((quota, period, path("cpu.stat")))
    };
    let (quota, period, statistics) = of(controllers).or_else(|| of("cpu"))?;
    let limit = in_thousandths(u64::try_from(quota).ok()?, u64::try_from(period).ok()?)?;
    Some(Quota { limit, statistics })
}

fn in_thousandths(quota: u64, period: u64) -> Option<u64> {
    quota.checked_mul(1000)?.checked_div(period).filter(|limit| *limit > 0)
}
