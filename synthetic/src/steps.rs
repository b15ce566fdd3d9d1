//! Advances the ranks' clocks step by step: a call is written only after the events on other ranks that it waits for.

use std::io;
use std::path::Path;

use traces::file::{FINALIZED, Mode};
use traces::folder::file_name;
use traces::record::{Arrived, Fate};

use super::cluster::Cluster;
use super::output::TraceOutput;
use super::profile::ProfileOutput;
use super::program::{BEGIN, DIRECTIONS, Grid, HALO, PAIR, PAIR_TAG, RankProgram, Repeats, header, sample};
use super::random::Random;
use super::rank_output::RankOutput;
use super::shape::Shape;
use super::simulated_rank::{BETWEEN, LEAST, SimulatedRank, VARIES};
use super::truth::KnownTotals;

/// Time at which MPI_Init returns on all ranks.
const READY: u64 = BEGIN + 50_000_000;
/// The range of the extra time that ranks take for computation, in 256ths.
const SLOWNESS: u64 = 64;
/// That range on a cluster, where planted behaviors must stand out.
const SLOWNESS_ON_CLUSTER: u64 = 8;
/// The time of a message, from the begin of the send.
const LATENCY: u64 = 1_500;
const BYTES_PER_TICK: u64 = 10;

/// All ranks, at the same place in the program.
pub struct Steps {
    grid: Grid,
    settings: Settings,
    ranks: Vec<SimulatedRank>,
    /// Time at which each rank began to send, in each direction.
    sent: Vec<[u64; DIRECTIONS]>,
    /// Time at which each rank entered the call that all are in now.
    entered: Vec<u64>,
}

/// The settings of a run besides its shape.
#[derive(Clone, Copy, Default)]
pub struct Settings {
    pub repeats: Repeats,
    /// Hosts that the ranks run on, if there are several.
    pub cluster: Option<Cluster>,
}

impl Settings {
    fn mode(&self) -> Mode {
        if self.cluster.is_some_and(|cluster| cluster.is_profile) { Mode::Profile } else { Mode::Trace }
    }
}

impl Steps {
    /// Writes MPI_Init, and the calls that make the communicators of rows and columns.
    pub fn begin(folder: &Path, shape: &Shape, settings: Settings) -> io::Result<Steps> {
        let grid = Grid::of(shape);
        let rank = |number| {
            let mut program = RankProgram::of(number, &grid, settings.cluster.as_ref(), settings.repeats);
            let path = folder.join(file_name(0, number));
            let output = match settings.mode() {
                Mode::Trace => {
                    let header = header(number, &grid, READY, Mode::Trace);
                    RankOutput::Trace(TraceOutput::begin(path, header, BEGIN, &program)?)
                }
                Mode::Profile => RankOutput::Profile(ProfileOutput::begin(path, BEGIN)),
            };
            // They are made again where the file needs them: of many ranks they would take gigabytes.
            (program.definitions, program.signatures) = (Vec::new(), Vec::new());
            let mut random = Random::of(shape.seed, number);
            let slowness = match settings.cluster {
                Some(cluster) => (256 + random.below(SLOWNESS_ON_CLUSTER)) * cluster.halves(number, grid.ranks) / 2,
                None => 256 + random.below(SLOWNESS),
            };
            let is_sporadic = settings.cluster.is_none();
            let totals = KnownTotals::default();
            let mut rank = SimulatedRank { number, now: BEGIN, random, slowness, is_sporadic, program, output, totals };
            rank.now += LEAST + rank.random.below(VARIES);
            rank.call_until(rank.program.init, READY)?;
            for split in rank.program.split {
                rank.now += BETWEEN;
                rank.call_until(split, rank.now + collective(grid.ranks))?;
            }
            Ok(rank)
        };
        let ranks: Vec<SimulatedRank> = (0..grid.ranks).map(rank).collect::<io::Result<_>>()?;
        let (sent, entered) = (vec![[0; DIRECTIONS]; ranks.len()], vec![0; ranks.len()]);
        Ok(Steps { grid, settings, ranks, sent, entered })
    }

    /// The number of calls of a rank so far.
    pub fn calls(&self) -> u64 {
        self.ranks[0].totals.calls
    }

    /// Writes a halo exchange and, in some steps, other operations.
    pub fn step(&mut self, step: u64) -> io::Result<()> {
        self.poll()?;
        self.exchange((step % 2) as usize, step % 8 == 6)?;
        if step % 3 == 1 {
            self.pairs((step / 3 % 2) as u32, step % 4 == 3)?;
        }
        if step % 4 == 2 {
            self.barrier((step / 4 % 2) as usize)?;
        }
        if step % 5 == 3 {
            self.reduce()?;
        }
        if step % 7 == 4 {
            self.broadcast()?;
        }
        Ok(())
    }

    /// Writes MPI_Finalize. Returns the totals of each rank.
    pub fn end(mut self) -> io::Result<Vec<KnownTotals>> {
        self.enter();
        let last = self.last();
        let end = last + collective(self.grid.ranks);
        let finish = |mut rank: SimulatedRank| {
            let finalizing = rank.now;
            rank.call_until(rank.program.finalize, end)?;
            let mut header = header(rank.number, &self.grid, READY, self.settings.mode());
            header.state |= FINALIZED;
            header.end = sample(end + LEAST);
            let cluster = self.settings.cluster.as_ref();
            let of_host = cluster.map_or_else(Vec::new, |cluster| {
                [cluster.clocks(rank.number, READY, end), cluster.usage(rank.number, READY, finalizing)].concat()
            });
            match rank.output {
                RankOutput::Trace(output) => output.end(header, &of_host)?,
                RankOutput::Profile(output) => {
                    let mut program = RankProgram::of(rank.number, &self.grid, cluster, self.settings.repeats);
                    program.definitions.extend(of_host);
                    output.end(header, &program)?;
                }
            }
            Ok(rank.totals)
        };
        self.ranks.into_iter().map(finish).collect()
    }

    /// Some ranks poll for messages that no rank sends.
    fn poll(&mut self) -> io::Result<()> {
        for rank in self.ranks.iter_mut().filter(|rank| rank.program.poll != 0) {
            let end = rank.least();
            rank.call_until(rank.program.poll, end)?;
            rank.now += BETWEEN;
        }
        Ok(())
    }

    /// Every rank receives from and sends to its neighbors, and waits for all of these requests.
    fn exchange(&mut self, size: usize, any: bool) -> io::Result<()> {
        let directions = self.grid.directions();
        for (rank, sent) in self.ranks.iter_mut().zip(&mut self.sent) {
            rank.compute();
            rank.post(directions, size, any, sent)?;
        }
        let transfer = LATENCY + HALO[size] / BYTES_PER_TICK;
        for rank in &mut self.ranks {
            let begun = |direction| self.sent[self.grid.source(rank.number, direction) as usize][direction];
            let last = (0..directions).map(begun).max().unwrap_or(0);
            rank.totals.late_sender.add(rank.now, last);
            let end = rank.least().max(last + transfer);
            rank.call_until(rank.program.wait, end)?;
            let Some(output) = rank.output.trace() else { continue };
            // Sends of the small halos were complete when they began.
            let (mut age, mut count) = (2 * directions as u64, if size == 0 { directions } else { 2 * directions });
            if any {
                let source = self.grid.source(rank.number, 0) as i32;
                output.completed(1, age)?;
                output.arrived(Arrived { source, tag: 0, bytes: HALO[size], fate: Fate::Whole })?;
                (age, count) = (age - 1, count - 1);
            }
            output.completed(count as u32, age)?;
        }
        Ok(())
    }

    /// Ranks whose number has this lowest bit send to the other rank of their pair.
    fn pairs(&mut self, sender: u32, any: bool) -> io::Result<()> {
        self.enter();
        for rank in &mut self.ranks {
            if rank.number % 2 == sender && self.grid.partner(rank.number).is_some() {
                let end = rank.least();
                rank.call_until(rank.program.send, end)?;
                rank.totals.messages += 1;
                rank.totals.bytes += PAIR;
            }
        }
        for rank in self.ranks.iter_mut().filter(|rank| rank.number % 2 != sender) {
            let Some(source) = self.grid.partner(rank.number) else { continue };
            let begun = self.entered[source as usize];
            rank.totals.late_sender.add(rank.now, begun);
            let end = rank.least().max(begun + LATENCY + PAIR / BYTES_PER_TICK);
            rank.call_until(if any { rank.program.receive_any } else { rank.program.receive }, end)?;
            if any && let Some(output) = rank.output.trace() {
                let source = source as i32;
                output.arrived(Arrived { source, tag: PAIR_TAG, bytes: PAIR, fate: Fate::Whole })?;
            }
        }
        Ok(())
    }

    /// A barrier of every row, or of every column.
    fn barrier(&mut self, of: usize) -> io::Result<()> {
        self.enter();
        let Grid { ranks, columns, .. } = self.grid;
        let (groups, size) = if of == 0 { (ranks / columns, columns) } else { (columns, ranks / columns) };
        let group = |rank: usize| if of == 0 { rank / columns as usize } else { rank % columns as usize };
        let mut last = vec![0; groups as usize];
        for (rank, entered) in self.entered.iter().enumerate() {
            last[group(rank)] = last[group(rank)].max(*entered);
        }
        for rank in &mut self.ranks {
            let last = last[group(rank.number as usize)];
            rank.totals.wait_at_barrier.add(rank.now, last);
            let end = last + collective(size) + rank.random.below(VARIES);
            rank.call_until(rank.program.barrier[of], end)?;
        }
        Ok(())
    }

    fn reduce(&mut self) -> io::Result<()> {
        self.enter();
        let last = self.last();
        for rank in &mut self.ranks {
            rank.totals.wait_at_nxn.add(rank.now, last);
            let end = last + collective(self.grid.ranks) + rank.random.below(VARIES);
            rank.call_until(rank.program.reduce, end)?;
        }
        Ok(())
    }

    /// Rank 0 does not wait for the others, and they do not wait for each other.
    fn broadcast(&mut self) -> io::Result<()> {
        self.enter();
        let root = self.entered[0];
        for rank in &mut self.ranks {
            rank.totals.late_broadcast.add(rank.now, root);
            let come = if rank.number == 0 { root } else { root + collective(self.grid.ranks) };
            let end = rank.least().max(come);
            rank.call_until(rank.program.broadcast, end)?;
        }
        Ok(())
    }

    /// All ranks compute, and enter the next call.
    fn enter(&mut self) {
        for (rank, entered) in self.ranks.iter_mut().zip(&mut self.entered) {
            rank.compute();
            *entered = rank.now;
        }
    }

    fn last(&self) -> u64 {
        self.entered.iter().copied().max().unwrap_or(0)
    }
}

/// The duration of a collective call from the moment at which all ranks are in it.
fn collective(ranks: u32) -> u64 {
    LEAST + LATENCY * u64::from(ranks.next_power_of_two().ilog2())
}
