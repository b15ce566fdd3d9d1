//! The host's cores, from `/sys`, and how many of them the process's control groups allow it.

use traces::machine::Machine;
use traces::span::Span;

use super::text;

/// Limit on the sockets and NUMA nodes that are read: each takes a file.
const MOST_PARTS: usize = 64;

pub fn machine() -> Machine {
    let online = cores_in("/sys/devices/system/cpu/online");
    let first = online.first().map_or(0, |span| span.first);
    let of_first = |file: &str| text(&format!("/sys/devices/system/cpu/cpu{first}/{file}"));
    let siblings = of_first("topology/thread_siblings_list").map(|list| parse_cores(&list)).unwrap_or_default();
    Machine {
        sockets: sockets(&online),
        nodes: nodes(),
        threads_a_core: siblings.iter().map(|span| span.count).sum(),
        limit: limit().unwrap_or(0),
        governor: of_first("cpufreq/scaling_governor").unwrap_or_default(),
        online,
    }
}

/// The cores in a list of the kernel: `0-3,8`. Empty if the text is no such list.
fn parse_cores(list: &str) -> Vec<Span> {
    let span = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (i32, i32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        let count = u32::try_from(last.checked_sub(first)?).ok()?.checked_add(1)?;
        Some(Span { first, count, step: i32::from(count > 1) })
    };
    list.split(',').map(span).collect::<Option<Vec<Span>>>().unwrap_or_default()
}

fn cores_in(path: &str) -> Vec<Span> {
    text(path).map(|list| parse_cores(&list)).unwrap_or_default()
}

/// The cores of each socket, found by the first core that is in none of the sockets before.
fn sockets(online: &[Span]) -> Vec<Vec<Span>> {
    let mut sockets: Vec<Vec<Span>> = Vec::new();
    for core in online.iter().flat_map(|span| (0..span.count).filter_map(|place| span.rank_at(place))) {
        if sockets.iter().flatten().any(|span| span.place(core).is_some()) {
            continue;
        }
        let topology = format!("/sys/devices/system/cpu/cpu{core}/topology");
        // Kernels before 5.3 have only the second name.
        let files = ["package_cpus_list", "core_siblings_list"].map(|file| format!("{topology}/{file}"));
        let cores = files.iter().map(|file| cores_in(file)).find(|cores| !cores.is_empty()).unwrap_or_default();
        if sockets.len() == MOST_PARTS || !cores.iter().any(|span| span.place(core).is_some()) {
            return Vec::new();
        }
        sockets.push(cores);
    }
    sockets
}

fn nodes() -> Vec<Vec<Span>> {
    let numbers = cores_in("/sys/devices/system/node/has_cpu");
    let numbers = numbers.iter().flat_map(|span| (0..span.count).filter_map(|place| span.rank_at(place)));
    numbers.take(MOST_PARTS).map(|node| cores_in(&format!("/sys/devices/system/node/node{node}/cpulist"))).collect()
}

/// The smallest limit of the process's control group and those around it, in thousandths of a core;
/// [`Machine::UNLIMITED`] if there is none, `None` if the process's groups cannot be read.
fn limit() -> Option<u32> {
    let groups = text("/proc/self/cgroup")?;
    let mut least = u64::from(Machine::UNLIMITED);
    for line in groups.lines() {
        // hierarchy:controllers:path, the second hierarchy's without controllers.
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let limits: Vec<u64> = match controllers {
            "" => around(path).filter_map(|group| unified_limit(&group)).collect(),
            _ if controllers.split(',').any(|controller| controller == "cpu") => {
                around(path).filter_map(|group| separate_limit(controllers, &group)).collect()
            }
            _ => continue,
        };
        least = limits.into_iter().fold(least, u64::min);
    }
    u32::try_from(least).ok()
}

/// A group's path and those of the groups around it. In a container the outer ones may have other names, or none.
fn around(path: &str) -> impl Iterator<Item = String> {
    let path = path.trim_end_matches('/').to_string();
    let ends: Vec<usize> = path.match_indices('/').map(|(at, _)| at).chain([path.len()]).collect();
    ends.into_iter().rev().filter_map(move |end| Some(path.get(..end)?.to_string()))
}

/// The limit of a group of cgroup version 2: `200000 100000` or `max 100000`, in microseconds.
fn unified_limit(group: &str) -> Option<u64> {
    let text = text(&format!("/sys/fs/cgroup{group}/cpu.max"))?;
    let (quota, period) = text.split_once(' ')?;
    in_thousandths(quota.parse().ok()?, period.parse().ok()?)
}

/// The limit of a group of cgroup version 1; its quota is -1 for none.
fn separate_limit(controllers: &str, group: &str) -> Option<u64> {
    let read = |folder: &str, file: &str| text(&format!("/sys/fs/cgroup/{folder}{group}/{file}"))?.parse::<i64>().ok();
    let of = |folder: &str| Some((read(folder, "cpu.cfs_quota_us")?, read(folder, "cpu.cfs_period_us")?));
    let (quota, period) = of(controllers).or_else(|| of("cpu"))?;
    in_thousandths(u64::try_from(quota).ok()?, u64::try_from(period).ok()?)
}

fn in_thousandths(quota: u64, period: u64) -> Option<u64> {
    quota.checked_mul(1000)?.checked_div(period).filter(|limit| *limit > 0)
}
