//! Simulated hosts: network namespaces with their own host names, joined by links of 1 Gbit/s.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use examples::mpi::Mpi;
use examples::target;

/// A set of hosts, removed on drop.
pub struct Hosts {
    count: u32,
    /// Script that starts a command on a host, called as `agent HOST COMMAND...`.
    agent: PathBuf,
}

/// Bridge between the hosts, and their network.
const BRIDGE: &str = "overhear0";
/// Host N has the address N in it.
const NETWORK: &str = "10.77.0.0/24";
/// Network interface of each host.
const INTERFACE: &str = "e0";

const AGENT: &str = r#"#!/bin/sh
# Starts a command on a host of our own, as ssh would on another machine.
host=$1
shift
exec ip netns exec "$host" unshare --uts sh -c '
    echo "$0" >/proc/sys/kernel/hostname
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    exec sh -c "$*"' "$host" "$@"
"#;

impl Hosts {
    /// Creates hosts. Fails without the rights for it or without iproute2.
    pub fn make(count: u32) -> Result<Hosts, String> {
        let folder = target().join("hosts");
        let agent = folder.join("agent");
        let io = |error: std::io::Error| format!("{}: {error}", agent.display());
        fs::create_dir_all(&folder).map_err(io)?;
        fs::write(&agent, AGENT).map_err(io)?;
        fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).map_err(io)?;
        let hosts = Hosts { count, agent };
        // A killed run may have left hosts.
        hosts.remove();
        ip(&format!("link add {BRIDGE} type bridge"))?;
        ip(&format!("addr add 10.77.0.254/24 dev {BRIDGE}"))?;
        ip(&format!("link set {BRIDGE} up"))?;
        for number in 1..=count {
            let (host, outside) = (name(number), format!("overhear-h{number}"));
            ip(&format!("netns add {host}"))?;
            ip(&format!("link add {outside} type veth peer name {INTERFACE} netns {host}"))?;
            ip(&format!("link set {outside} master {BRIDGE} up"))?;
            ip(&format!("-n {host} addr add 10.77.0.{number}/24 dev {INTERFACE}"))?;
            ip(&format!("-n {host} link set {INTERFACE} up"))?;
            ip(&format!("-n {host} link set lo up"))?;
            let limit = format!("qdisc add dev {INTERFACE} root tbf rate 1gbit burst 128kb latency 20ms");
            tool("tc", &format!("-n {host} {limit}"))?;
        }
        Ok(hosts)
    }

    pub fn names(&self) -> Vec<String> {
        (1..=self.count).map(name).collect()
    }

    /// Kills all processes on the hosts.
    pub fn clear(&self) {
        for host in self.names() {
            let Ok(listed) = Command::new("ip").args(["netns", "pids", &host]).output() else { continue };
            let pids = String::from_utf8_lossy(&listed.stdout).into_owned();
            let _ = Command::new("kill").arg("-9").args(pids.split_whitespace()).stderr(Stdio::null()).status();
        }
    }

    fn remove(&self) {
        let quietly = |arguments: &str| {
            let arguments: Vec<&str> = arguments.split(' ').collect();
            let _ = Command::new("ip").args(arguments).stderr(Stdio::null()).status();
        };
        for number in 1..=self.count {
            quietly(&format!("netns del {}", name(number)));
            quietly(&format!("link del overhear-h{number}"));
        }
        quietly(&format!("link del {BRIDGE}"));
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        self.clear();
        self.remove();
    }
}

/// Arguments that have a library communicate over TCP, each rank on its own host.
pub fn over_tcp(mpi: &Mpi, hosts: Option<&Hosts>) -> Vec<String> {
    let words = |text: String| text.split(' ').map(String::from).collect::<Vec<_>>();
    let one_each = |hosts: &Hosts| hosts.names().iter().map(|name| format!("{name}:1")).collect::<Vec<_>>().join(",");
    match (mpi.is_openmpi(), hosts) {
        // Each host believes it owns all cores, and would bind its first rank to core 0.
        (true, Some(hosts)) => words(format!(
            "--bind-to none --mca pml ob1 --mca btl tcp,self --mca plm_rsh_agent {} --mca oob_tcp_if_include {NETWORK} \
             --mca btl_tcp_if_include {NETWORK} --host {}",
            hosts.agent.display(),
            one_each(hosts)
        )),
        (true, None) => words("--mca pml ob1 --mca btl tcp,self".into()),
        (false, Some(hosts)) => words(format!(
            "-launcher rsh -launcher-exec {} -iface {BRIDGE} -hosts {} -genv UCX_TLS tcp,self \
             -genv UCX_NET_DEVICES {INTERFACE}",
            hosts.agent.display(),
            hosts.names().join(",")
        )),
        (false, None) => words("-genv MPIR_CVAR_NOLOCAL 1 -genv UCX_TLS tcp,self".into()),
    }
}

fn name(number: u32) -> String {
    format!("overhear-h{number}")
}

fn ip(arguments: &str) -> Result<(), String> {
    tool("ip", arguments)
}

fn tool(name: &str, arguments: &str) -> Result<(), String> {
    let output = Command::new(name).args(arguments.split(' ')).output();
    let output = output.map_err(|error| format!("{name} (of iproute2): {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{name} {arguments}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}
