//! The host's cores, from `/sys`.

use traces::machine::Machine;
use traces::span::Span;

use super::{quota, text};

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
        limit: quota::limit().unwrap_or(0),
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
