//! Data of a page's timeline: bins as fine as fit into the page, finer ones beside it, and single calls in chunks.

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::page_names::{Names, call_sites};
use super::sum_files::SumFiles;
use super::{longest, places};
use crate::SourceLines;
use crate::timeline::{
    self, ChunkSums, LongWait, MessageLine, PageBins, PageChunk, PageData, PageName, PageSums, PageWait, Picture,
    PictureRow, RankSection, SampleRecord, WritePart, rank_json,
};
use metrics::totals::world_rank;
use metrics::words::plural;
use model::error::Error;
use model::levels::{Grid, PlacedCall, RankCalls, samples};
use model::matching::{Settled, WaitSpan, WaitState};
use model::parallel::{lock, map};
use model::sites::short_function;
use model::{Rank, Run};
use tables::number;

/// Limits for bins and for single calls within a page, in characters.
const BINS_IN_PAGE: usize = 1_900_000;
const CALLS_IN_PAGE: usize = 1_500_000;
/// Approximate calls per chunk, which is loaded and drawn at once.
const CHUNK: u64 = 40_000;
/// Bins at the finest level, of all ranks together and of each.
const CELLS: usize = 1 << 20;
const MOST_BINS: usize = 1 << 13;
/// Files of the finest level.
const FILES: usize = 16;
/// Most samples in a page, some four bytes each.
const SAMPLES: usize = 400_000;
/// Waits that a page lists.
const WAITS: usize = 1000;

/// Collected data of a page.
pub struct PageParts<'a> {
    run: &'a Run,
    settled: &'a Settled,
    names: Names,
    finest: Picture<'a>,
    /// Nanoseconds that the slowest message took.
    longest_way: i64,
}

/// Finest bins per rank, for this number of ranks.
fn bins_of(ranks: usize) -> usize {
    let each = CELLS / ranks.max(1);
    (1 << each.max(1).ilog2()).clamp(64, MOST_BINS)
}

/// Collects the data of a time.
pub fn page_parts<'a>(run: &'a Run, settled: &'a Settled, time: &Grid, messages: &'a [MessageLine]) -> PageParts<'a> {
    let ranks = run.asked().count();
    let grid = Grid { keeps_outside: time.keeps_outside, ..Grid::over(time.from, time.end(), bins_of(ranks)) };
    let finest = super::picture(run, settled, grid, messages);
    let longest_way = finest.messages.iter().map(|message| message.end - message.begin).max().unwrap_or(0);
    PageParts { run, settled, names: Names::of(run), finest, longest_way }
}

/// The calls of a row, read chunk by chunk.
struct RowCalls<'a> {
    /// Number of the rank in the run.
    rank: usize,
    reader: RankCalls<'a>,
    /// Calls that are open when the next chunk begins. They are repeated in it, so it can be drawn alone.
    running: Vec<PlacedCall<'a>>,
}

fn name(rank: &Rank) -> PageName {
    let name = world_rank(rank);
    PageName { label: name.to_string(), rank: rank_json(name) }
}

impl PageParts<'_> {
    /// Returns the page's data, with these source lines. `write` gets the parts that exceed the page's limits; none, if
    /// `in_one`. `folder` is the folder it writes to.
    pub fn data(
        &self,
        (from, to): (i64, i64),
        sources: SourceLines,
        folder: &str,
        in_one: bool,
        write: WritePart<'_>,
    ) -> Result<PageData, Error> {
        let (bins, fine) = self.bins(if in_one { usize::MAX } else { BINS_IN_PAGE }, write)?;
        let (chunks, sums) = self.chunks((from, to), if in_one { usize::MAX } else { CALLS_IN_PAGE }, write)?;
        let run = self.run;
        let own: Vec<u32> = run.asked_places().map(|(at, _)| at as u32).collect();
        let mut notes = Vec::new();
        if self.finest.regions_left_out > 0 {
            notes.push(format!("{} not shown", plural(self.finest.regions_left_out as u64, "shorter region")));
        }
        let (samples, sampled) = self.samples((from, to), &own, &mut notes);
        Ok(PageData {
            layouts: timeline::layouts(),
            title: self.finest.title.clone(),
            from,
            to,
            ranks: timeline::page_data::ranks(&self.finest.rows, &own),
            orders: timeline::row_orders(&self.finest.rows, &self.finest.grid),
            names: run.ranks.iter().map(name).collect(),
            classes: timeline::page_data::classes(),
            functions: self.names.functions.clone(),
            sites: self.names.sites.clone(),
            around: self.names.around.clone(),
            sources,
            site_names: self.names.site_names.clone(),
            paths: self.names.paths.clone(),
            callers: self.names.callers.clone(),
            sampled,
            samples,
            places: call_sites(run),
            sizes: [None].into_iter().chain((0..64).map(|power| Some(1 << power))).collect(),
            objects: self.names.objects.clone(),
            states: WaitState::ALL.iter().map(|state| state.name()).collect(),
            bins,
            fine,
            chunks,
            sums,
            folder: folder.into(),
            waits: self.longest((from, to)),
            regions: timeline::page_data::regions(&self.finest.regions),
            regions_of: self.finest.regions_of.clone(),
            notes,
        })
    }

    /// Returns bins for the page, folded until they fit, and the finest ones, written beside it.
    fn bins(&self, room: usize, write: WritePart<'_>) -> Result<(PageBins, Option<PageBins>), Error> {
        let functions = &self.names.function_of;
        let encoded = |rows: &[PictureRow], grid: &Grid| timeline::bins(rows, (0, grid.count), functions).text();
        let mut grid = self.finest.grid;
        let mut data = encoded(&self.finest.rows, &grid);
        if data.len() <= room {
            return Ok((PageBins::in_page(&grid, data), None));
        }
        let fine = PageBins::in_files(&grid, grid.count.div_ceil(FILES));
        for (number, name) in fine.files.iter().enumerate() {
            let part = timeline::bins(&self.finest.rows, (number * fine.each, fine.each), functions);
            write(name, &part.text())?;
        }
        let mut folded: Vec<_> = self.finest.rows.iter().map(|row| row.bins.clone()).collect();
        while data.len() > room && grid.count > 1 {
            grid = grid.folded();
            folded = map(folded.len(), |at| folded[at].folded());
            let rows: Vec<PictureRow> =
                self.finest.rows.iter().zip(&folded).map(|(row, bins)| row.with(bins.clone())).collect();
            data = encoded(&rows, &grid);
        }
        Ok((PageBins::in_page(&grid, data), Some(fine)))
    }

    /// Encodes the samples of a time, row by row, and names their functions. Leaves them out if there are too many.
    fn samples(
        &self,
        (from, to): (i64, i64),
        own: &[u32],
        notes: &mut Vec<String>,
    ) -> (Vec<String>, BTreeMap<u32, String>) {
        let (tree, lines) = (&self.names.tree, &self.settled.common_clock.lines);
        let (mut encoded, mut names, mut count) = (Vec::new(), BTreeMap::new(), 0);
        for at in own.iter().map(|at| *at as usize) {
            let rank = &self.run.ranks[at];
            let mut records = Vec::new();
            for sample in samples(rank, &lines[at]).into_iter().filter(|sample| (from..=to).contains(&sample.at)) {
                let Some(path) = tree.place(at, sample.site).and_then(|place| place.node) else { continue };
                for path in [Some(path), tree.nodes[path as usize].parent].into_iter().flatten() {
                    names.entry(path).or_insert_with(|| short_function(&tree.nodes[path as usize].function));
                }
                records.push(SampleRecord { at: sample.at, path: path.into(), time: sample.time as u64 });
            }
            let mut bytes = timeline::Bytes::default();
            bytes.length(records.len());
            let mut last = SampleRecord { at: from, ..SampleRecord::default() };
            for record in &records {
                record.write(&last, &mut bytes);
                last = *record;
            }
            count += records.len();
            encoded.push(bytes.text());
        }
        if count > SAMPLES {
            notes.push(format!("{} samples are too many for a page: see overhear paths", number::whole(count as u64)));
            return (Vec::new(), BTreeMap::new());
        }
        (encoded, names)
    }

    fn longest(&self, interval: (i64, i64)) -> Vec<LongWait> {
        let rows = places(self.run);
        let wait = |wait: &WaitSpan| {
            let row = rows[wait.key.waiter.rank as usize]?;
            let (state, cause) = self.reasons(wait);
            let (cause, place) = cause.unzip();
            let here = wait.key.waiter.place.number() as u32;
            Some(LongWait { row, call: wait.call, from: wait.from, until: wait.until, state, here, cause, place })
        };
        longest(&self.settled.account, interval, WAITS).into_iter().filter_map(wait).collect()
    }

    /// State, and rank and place that came late.
    fn reasons(&self, wait: &WaitSpan) -> PageWait {
        let (waiter, cause) = (wait.key.waiter, wait.key.cause);
        let state = WaitState::ALL.iter().position(|state| *state == wait.key.state).unwrap_or(0) as u32;
        (state, (cause != waiter).then(|| (cause.rank, cause.place.number() as u32)))
    }

    /// Cuts an interval into times with about [`CHUNK`] calls each.
    fn edges(&self, (from, to): (i64, i64)) -> Vec<i64> {
        let grid = &self.finest.grid;
        let mut calls = vec![0u64; grid.count];
        for cell in self.finest.rows.iter().flat_map(|row| &row.bins.cells) {
            calls[cell.bin as usize] = calls[cell.bin as usize].saturating_add(cell.calls);
        }
        let mut edges = vec![from];
        let mut sum = 0u64;
        for (bin, calls) in calls.into_iter().enumerate().skip(1) {
            let begin = grid.from.saturating_add(grid.width.saturating_mul(bin as i64));
            if sum > 0 && sum.saturating_add(calls) > CHUNK && begin < to {
                edges.push(begin);
                sum = 0;
            }
            sum = sum.saturating_add(calls);
        }
        edges.push(to);
        edges
    }

    /// Chunks of all calls that overlap the time, each in the chunk in which it begins; earlier ones are in the first.
    fn chunks(
        &self,
        (from, to): (i64, i64),
        room: usize,
        write: WritePart<'_>,
    ) -> Result<(Vec<PageChunk>, Vec<PageSums>), Error> {
        let (run, timeline) = (self.run, &self.settled.common_clock);
        let at: Vec<usize> = run.asked_places().map(|(at, _)| at).collect();
        let contents = map(at.len(), |row| run.ranks[at[row]].contents());
        let calls = |row: usize| {
            let (rank, line) = (&run.ranks[at[row]], &timeline.lines[at[row]]);
            let reader = RankCalls::new(rank, &contents[row], line);
            Mutex::new(RowCalls { rank: at[row], reader, running: Vec::new() })
        };
        let rows = map(at.len(), calls);
        let edges = self.edges((from, to));
        let last = edges.len().saturating_sub(2);
        let (mut chunks, mut in_page, mut sums) = (Vec::new(), 0usize, SumFiles::default());
        for (number, edge) in edges.windows(2).enumerate() {
            let (begin, end) = (edge[0], edge[1]);
            // Calls at the very end, or after it because clocks differ, belong to the last chunk.
            let until = if number == last && self.finest.grid.keeps_outside { i64::MAX } else { end };
            let section = |row: usize| self.section(&mut lock(&rows[row]), from, (begin, end), until);
            let (counts, sections): (Vec<u64>, Vec<RankSection>) = map(rows.len(), section).into_iter().unzip();
            let messages = self.messages((begin, end), number == last);
            let data = timeline::chunk(&sections, &messages, begin).text();
            sums.add(&ChunkSums::of(&sections, &messages, (begin, end)));
            let name = format!("calls-{number:05}");
            in_page += data.len();
            let calls = counts.iter().sum();
            chunks.push(PageChunk { from: begin, to: end, calls, name, data: Some(data) });
            if in_page > room {
                for chunk in &mut chunks {
                    if let Some(data) = chunk.data.take() {
                        write(&chunk.name, &data)?;
                    }
                }
                sums.write(write)?;
            }
        }
        if in_page <= room {
            // A page with every call adds them up itself.
            return Ok((chunks, Vec::new()));
        }
        sums.finish();
        sums.write(write)?;
        Ok((chunks, sums.list()))
    }

    /// A row's part of a chunk, of the calls until a time that end at `from` or later; and how many calls begin in it.
    fn section(&self, row: &mut RowCalls<'_>, from: i64, chunk: (i64, i64), until: i64) -> (u64, RankSection) {
        let (read, mut marks) = row.reader.until(until);
        let mut calls = std::mem::take(&mut row.running);
        let carried = calls.len();
        calls.extend(read.into_iter().filter(|call| call.end >= from));
        row.running.extend(calls.iter().filter(|call| call.end > chunk.1));
        marks.retain(|mark| mark.1 >= from);
        let waits = &self.settled.account.spans[row.rank];
        let first = calls.first().map_or(0, |first| waits.partition_point(|wait| wait.call < first.start));
        let kind = |signature: &_| self.names.kind(row.rank, signature);
        let wait = |wait: &WaitSpan| self.reasons(wait);
        let count = (calls.len() - carried) as u64;
        (count, RankSection::of((&calls, carried), &marks, &waits[first..], chunk, kind, wait))
    }

    /// Messages that begin or end in a chunk: one between two chunks is in both.
    fn messages(&self, (from, to): (i64, i64), is_last: bool) -> Vec<MessageLine> {
        let all = self.finest.messages;
        let is_in = |at: i64| from <= at && (at < to || is_last);
        let first = all.partition_point(|message| message.begin < from.saturating_sub(self.longest_way));
        let near = all[first..].iter().take_while(|message| message.begin < to || is_last);
        near.filter(|message| is_in(message.begin) || is_in(message.end)).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use synthetic::{Shape, Topology};

    use super::*;
    use crate::timeline::contents::{interval, take_messages};
    use model::matching::{Follow, settled};

    #[test]
    fn the_finest_bins_are_as_many_as_a_page_of_so_many_ranks_has_room_for() {
        assert_eq!((bins_of(1), bins_of(0)), (MOST_BINS, MOST_BINS));
        for ranks in [3, 100, 1_500, 16_384] {
            let bins = bins_of(ranks);
            assert!(ranks * bins <= CELLS && (2 * ranks * bins > CELLS || bins == MOST_BINS), "{ranks}: {bins}");
        }
        assert_eq!(bins_of(1_000_000), 64);
    }

    #[test]
    fn each_message_is_in_the_chunks_of_its_ends() {
        let folder = std::env::temp_dir().join(format!("overhear-page-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        synthetic::run(&folder, &Shape { ranks: 4, calls: 500, topology: Topology::Ring, seed: 3 }).unwrap();
        let run = Run::load(&folder).unwrap();
        let mut settled = settled(&run, Follow::SPANS | Follow::DELIVERIES);
        let (from, to) = interval(&run, &settled.common_clock, None, None);
        let messages = take_messages(&run, &mut settled.account, (from, to));
        let parts = page_parts(&run, &settled, &Grid::over(from, to, 64), &messages);
        assert!(messages.len() > 10 && parts.messages((from, to), true).len() == messages.len());
        let middle = messages[messages.len() / 2].begin + 1;
        let (before, after) = (parts.messages((from, middle), false), parts.messages((middle, to), true));
        let across = messages.iter().filter(|message| message.begin < middle && message.end >= middle).count();
        assert!(!before.is_empty() && !after.is_empty());
        assert_eq!(before.len() + after.len(), messages.len() + across);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
