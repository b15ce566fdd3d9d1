//! The flags of `whatif`: what would be different.

use std::path::PathBuf;

use clap::Args;

use super::Print;
use super::analyses::nanoseconds;
use metrics::what_if::{AskedChange, NetworkChange};
use model::ranks::Ranks;

#[derive(Args)]
pub struct WhatIfArgs {
    /// The run's folder [default: the newest run in the working folder]
    pub dir: Option<PathBuf>,
    /// The computation of these ranks takes this many times as long: 3=0.8, 0-3,8=1.5
    #[arg(long, value_name = "RANKS=FACTOR", value_parser = ranks)]
    pub rank: Vec<AskedChange>,
    /// The calls of this site take this many times as long, without their waits: MPI_Alltoall@solver.c:88=0.5; a function or a line alone will do
    #[arg(long, value_name = "SITE=FACTOR", value_parser = calls)]
    pub site: Vec<AskedChange>,
    /// The computation before the calls of this site takes this many times as long
    #[arg(long, value_name = "SITE=FACTOR", value_parser = before)]
    pub before: Vec<AskedChange>,
    /// The computation after the calls of this site takes this many times as long
    #[arg(long, value_name = "SITE=FACTOR", value_parser = after)]
    pub after: Vec<AskedChange>,
    /// Ranks that compute between the same two calls take as long as they do on average, each time
    #[arg(long)]
    pub balance: bool,
    /// Ranks always have a core while they compute, as if they shared none
    #[arg(long)]
    pub no_off_core: bool,
    /// The network's latency is longer or shorter: +20us, -5us, x2, /2
    #[arg(long, value_name = "CHANGE", value_parser = latency, allow_hyphen_values = true)]
    pub latency: Option<AskedChange>,
    /// The network's bandwidth is higher or lower: x2, /2
    #[arg(long, value_name = "CHANGE", value_parser = bandwidth)]
    pub bandwidth: Option<AskedChange>,
    /// Latency and bandwidth change between these two hosts alone
    #[arg(long, value_name = "HOST,HOST", value_parser = hosts)]
    pub between: Option<Hosts>,
    /// Sends of up to this many bytes do not wait for their receives, and longer ones do: 0, 65536, 64K, 1M
    #[arg(long, value_name = "BYTES", value_parser = eager)]
    pub eager: Option<AskedChange>,
    /// The calls of this site are not made: MPI_Barrier@solver.c:40
    #[arg(long, value_name = "SITE", value_parser = without)]
    pub without: Vec<AskedChange>,
    /// Do not cache the names of call sites, in the run's folder or in ~/.cache/overhear
    #[arg(long)]
    pub no_cache: bool,
    #[command(flatten)]
    pub print: Print,
}

/// Two hosts.
#[derive(Clone, Debug)]
pub struct Hosts(pub [String; 2]);

impl WhatIfArgs {
    /// All changes, in the order of the flags in help.
    pub fn changes(&self) -> Vec<AskedChange> {
        let sites = [&self.rank, &self.site, &self.before, &self.after].into_iter().flatten().cloned();
        let mut changes: Vec<AskedChange> = sites.collect();
        changes.extend(self.balance.then_some(AskedChange::Balance));
        changes.extend(self.no_off_core.then_some(AskedChange::OnCore));
        changes.extend([&self.latency, &self.bandwidth, &self.eager].into_iter().flatten().cloned());
        changes.extend(self.without.iter().cloned());
        changes
    }
}

/// Reads `NAME=FACTOR`.
fn factor(text: &str) -> Result<(&str, f64), String> {
    let Some((name, factor)) = text.rsplit_once('=') else {
        return Err("expected a name, = and a factor, as in 3=0.8".into());
    };
    match factor.parse::<f64>() {
        Ok(factor) if factor >= 0.0 && factor.is_finite() => Ok((name, factor)),
        _ => Err(format!("{factor} is no factor: 0.8 makes it a fifth shorter, 2 twice as long")),
    }
}

fn ranks(text: &str) -> Result<AskedChange, String> {
    let (ranks, factor) = factor(text)?;
    Ok(AskedChange::Ranks(ranks.parse::<Ranks>()?, factor))
}

fn calls(text: &str) -> Result<AskedChange, String> {
    factor(text).map(|(site, factor)| AskedChange::Calls(site.into(), factor))
}

fn before(text: &str) -> Result<AskedChange, String> {
    factor(text).map(|(site, factor)| AskedChange::Before(site.into(), factor))
}

fn after(text: &str) -> Result<AskedChange, String> {
    factor(text).map(|(site, factor)| AskedChange::After(site.into(), factor))
}

fn without(text: &str) -> Result<AskedChange, String> {
    Ok(AskedChange::Without(text.into()))
}

/// Reads `x2` or `/2`.
fn times(text: &str) -> Option<f64> {
    let (sign, number) = (text.get(..1)?, text.get(1..)?.parse::<f64>().ok()?);
    let is_factor = number > 0.0 && number.is_finite();
    match sign {
        "x" if is_factor => Some(number),
        "/" if is_factor => Some(1.0 / number),
        _ => None,
    }
}

fn latency(text: &str) -> Result<AskedChange, String> {
    let more = |text: &str| nanoseconds(text).ok();
    let more =
        text.strip_prefix('+').and_then(more).or_else(|| text.strip_prefix('-').and_then(more).map(|time| -time));
    let change = more.map(NetworkChange::More).or_else(|| times(text).map(NetworkChange::Times));
    change.map(AskedChange::Latency).ok_or_else(|| "expected +20us, -5us, x2 or /2".into())
}

fn bandwidth(text: &str) -> Result<AskedChange, String> {
    times(text).map(AskedChange::Bandwidth).ok_or_else(|| "expected x2 or /2".into())
}

fn eager(text: &str) -> Result<AskedChange, String> {
    let (number, power) =
        match text.trim_end_matches("iB").split_at_checked(text.trim_end_matches("iB").len().max(1) - 1) {
            Some((number, "K" | "k")) => (number, 10),
            Some((number, "M")) => (number, 20),
            _ => (text, 0),
        };
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << power));
    bytes.map(AskedChange::Eager).ok_or_else(|| "expected a number of bytes, as 65536, 64K or 1M".into())
}

fn hosts(text: &str) -> Result<Hosts, String> {
    let (one, other) = text.split_once(',').ok_or("expected two hosts with a comma between them")?;
    Ok(Hosts([one.into(), other.into()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_the_network_are_times_and_factors_and_nothing_else() {
        let more = |time| Ok(AskedChange::Latency(NetworkChange::More(time)));
        assert_eq!(latency("+20us"), more(20_000));
        assert_eq!(latency("-1.5ms"), more(-1_500_000));
        assert_eq!(latency("/4"), Ok(AskedChange::Latency(NetworkChange::Times(0.25))));
        assert_eq!(bandwidth("x2"), Ok(AskedChange::Bandwidth(2.0)));
        for wrong in ["", "20us", "x", "x0", "/-2", "+", "2"] {
            assert!(latency(wrong).is_err() && bandwidth(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_are_bytes_or_powers_of_1024_and_factors_are_behind_the_last_equals_sign() {
        assert_eq!(
            ["4096", "64K", "64KiB", "1M"].map(|text| eager(text).unwrap()),
            [4096, 65536, 65536, 1 << 20].map(AskedChange::Eager)
        );
        assert!(["", "K", "-1", "1T"].iter().all(|text| eager(text).is_err()));
        assert_eq!(calls("a=b.c:3=0.5"), Ok(AskedChange::Calls("a=b.c:3".into(), 0.5)));
        assert!(["3", "3=", "3=-1", "x=1"].iter().all(|text| ranks(text).is_err()));
    }
}
