//! The facts that describe a run.

use std::collections::BTreeSet;

use traces::definitions::Language;

use super::cost::RecordingCost;
use super::rank_programs;
use super::run_end::RunEnd;
use super::scheduling::{LEAST_SHARE_OF_DELAYS, delayed_share};
use super::totals::seconds;
use super::words::{numbers, plural, rank_in_words, verb};
use model::kept_part::KeptPart;
use model::launch_log::LaunchOutcome;
use model::run::gaps;
use model::sums::Total;
use model::{Choice, ProcessFate, Rank, Run};
use tables::{Fact, Value, facts};

facts! {
    PROGRAM = "program", Text, always, "The command that ran.";
    RANKS = "ranks", Count, always, "How many ranks.";
    HOSTS = "hosts", Count, always, "How many hosts the ranks ran on.";
    MPI_LIBRARY = "mpi_library", Text, always, "The MPI library and its version, as it says itself.";
    LANGUAGES = "languages", Text, always, "The languages that called MPI.";
    RECORDER_VERSION = "recorder_version", Text, always, "The version of overhear that recorded.";
    BEGAN = "began_unix_s", Seconds, always,
        "When the first rank's recording began, in seconds since 1970, by that host's clock.";
    WALL_TIME = "wall_time_s", Seconds, always,
        "From the end of MPI_Init to the begin of MPI_Finalize, of the rank for which that is longest; with --whole \
         from the begin of the one to the end of the other; of what was selected, as far as it goes. A rank that has \
         not finalized MPI counts until now if its process runs, else until the last sign of life in its file.";
    START_MEAN = "start_mean_s", Seconds, sometimes,
        "Time to start MPI, mean of the ranks: from the call of MPI_Init until the program went on. No other \
         figure has it, unless --whole asks for that.";
    START_MAX = "start_max_s", Seconds, sometimes, "Time to start MPI, of the rank for which it took longest.";
    END_MEAN = "end_mean_s", Seconds, sometimes,
        "Time to end MPI, mean of the ranks that did: from the call of MPI_Finalize to its end. No other figure \
         has it, unless --whole asks for that.";
    END_MAX = "end_max_s", Seconds, sometimes, "Time to end MPI, of the rank for which it took longest.";
    FOLDER = "folder", Text, always, "The run's folder.";
    SETTINGS = "settings", Text, sometimes,
        "The environment variables that set up the MPI library, its network and threads, of the first rank; those that launchers set by \
         themselves are left out.";
    FILTER = "filter", Text, always, "The functions that were recorded, as --filter says; empty for all.";
    RECORDED_RANKS = "recorded_ranks", Text, sometimes, "The ranks that were recorded, if not all were.";
    ASKED_RANKS = "asked_ranks", Text, sometimes, "The ranks that the figures are of, if --rank chose some.";
    FROM = "from_s", Seconds, sometimes, "The begin of the time that the figures are of, if --from was given.";
    TO = "to_s", Seconds, sometimes, "The end of the time that the figures are of, if --to was given.";
    WHOLE_WALL_TIME = "whole_wall_time_s", Seconds, sometimes,
        "The wall time of the run, if the figures are of a part of it.";
    TAKEN_OUT_MAX = "taken_out_max_s", Seconds, sometimes,
        "The longest time of a rank in which MPI_Pcontrol(0) had stopped the recording.";
    REGION = "region", Text, sometimes, "A part of the program that it gave a name.";
    REGION_ENTERED = "region_entered", Count, sometimes, "How often the chosen region was entered, all ranks.";
    MPI_TIME_MEAN = "mpi_time_mean_s", Seconds, always, "Time in MPI, mean of the ranks.";
    MPI_TIME_MIN = "mpi_time_min_s", Seconds, always, "Time in MPI of the rank with the least.";
    MPI_TIME_MAX = "mpi_time_max_s", Seconds, always, "Time in MPI of the rank with the most.";
    DELAY = "delay_percent", Percent, sometimes,
        "The share of the ranks' time in which they were ready to run but did not, since others had their cores.";
    LAYER = "layer_functions", Text, sometimes,
        "Functions of the program that only wrap MPI for others, as far as they were found or named.";
    LAYER_SIZE = "layer_function_count", Count, sometimes,
        "How many functions that wrap MPI are not named as call sites, but their callers in their place.";
    KEPT = "kept_s", Seconds, sometimes,
        "How long ago the records begin that all ranks have kept, at the end of the run, if the recorder keeps only the newest \
         (--keep).";
    KEPT_FROM = "kept_from_s", Seconds, sometimes,
        "When the records begin that all ranks have kept, on the run's common clock.";
    RECORDED_TIME = "recorded_s", Seconds, sometimes, "The time of the whole recording, of which only the end is kept.";
    DROPPED_CALLS = "dropped_calls", Count, sometimes,
        "Calls whose records were dropped, all ranks. They are in all totals, and in nothing that needs single calls.";
    PROGRAMS = "programs", Text, sometimes, "How many different programs ran as ranks.";
    END = "end", Text, sometimes,
        "How the run ended, if it did not end well: what `overhear record` in front of the launcher saw, and where the ranks' files end.";
    LAUNCHER_STATUS = "launcher_status", Number, sometimes,
        "The status that the launcher ended with, as `overhear record` in front of it saw.";
    LAUNCHER_SIGNAL = "launcher_signal", Number, sometimes,
        "The signal that killed the launcher, as `overhear record` in front of it saw.";
    LAUNCH = "launch_s", Seconds, sometimes, "Time from the start of the launcher to its end.";
}

/// Name, size and times of a run, and the part of it that is selected.
pub fn facts(run: &Run) -> Vec<Fact> {
    run.cached_facts(work_out_facts)
}

fn work_out_facts(run: &Run) -> Vec<Fact> {
    let first = run.first();
    let mut hosts: Vec<&str> = run.ranks.iter().map(|rank| rank.process.host.as_str()).collect();
    hosts.sort();
    hosts.dedup();
    let command = rank_programs::command(first);
    let library = first.library.name();
    let (ranks, hosts) = (run.size(), hosts.len() as u64);
    let note = format!(", {} on {}, {library}", plural(ranks.into(), "rank"), plural(hosts, "host"));
    let wall = run.asked().map(Rank::wall).fold(0.0, f64::max);
    let mut facts = vec![
        Fact::new(PROGRAM, if run.is_newest { "of" } else { "run" }, Value::Text(command)).note(note),
        Fact::hidden(RANKS, Value::Count(ranks.into())),
        Fact::hidden(HOSTS, Value::Count(hosts)),
        Fact::hidden(MPI_LIBRARY, Value::Text(first.library.version.clone())),
        called_from(run),
        Fact::hidden(RECORDER_VERSION, Value::Text(first.process.recorder.clone())),
        Fact::hidden(BEGAN, Value::Seconds(first.header.begin.realtime as f64 / 1e9)),
        wall_time(run, wall),
    ];
    facts.extend(end(run));
    facts.extend(start_and_end(run));
    let folder = Value::Text(run.folder.display().to_string());
    if run.is_newest {
        facts.insert(0, Fact::new(FOLDER, "run", folder).note(" (newest here)"));
    } else {
        facts.push(Fact::hidden(FOLDER, folder));
    }
    if !first.settings.is_empty() {
        facts.push(Fact::new(SETTINGS, "settings", Value::Text(first.settings.join(", "))));
    }
    facts.push(Fact::hidden(FILTER, Value::Text(first.filter.clone())));
    facts.extend(recorded(run));
    facts.extend(kept(run));
    facts.extend(selected(run));
    facts.extend(in_mpi(run));
    facts.extend(delay(run));
    facts.extend(cost(run));
    facts.extend(layer(run));
    facts.extend(rank_programs::of_ranks(run).map(|ranks| Fact::new(PROGRAMS, "programs", Value::Text(ranks))));
    facts
}

/// The end of the launch, as the process in front of the launcher saw it; in words if the run did not end well.
fn end(run: &Run) -> Vec<Fact> {
    let in_words = RunEnd::of(run).map(|end| Fact::new(END, "ended", Value::Text(end.in_words())));
    let mut facts: Vec<Fact> = in_words.into_iter().collect();
    let Some(LaunchOutcome::Ended(end)) = run.launches.last().map(|launch| launch.outcome) else { return facts };
    let number = |number: i32| Value::Number(number.unsigned_abs().into());
    facts.extend(end.status.map(|status| Fact::hidden(LAUNCHER_STATUS, number(status))));
    facts.extend(end.signal.map(|signal| Fact::hidden(LAUNCHER_SIGNAL, number(signal))));
    facts.push(Fact::hidden(LAUNCH, Value::Seconds(end.at.after())));
    facts
}

/// Maximum number of a layer's functions that text names.
const LAYER_SHOWN: usize = 4;

/// The communication layer, if call sites are named by its callers.
fn layer(run: &Run) -> Vec<Fact> {
    let names: Vec<&str> = run.sites.left_out().iter().map(String::as_str).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let count = names.len();
    let shown = names[..count.min(LAYER_SHOWN)].join(", ");
    let more = if count > LAYER_SHOWN { ", ..." } else { "" };
    let functions = verb(count, "function", "functions");
    let note = format!(" {functions} ({shown}{more}); call sites are where the program calls them");
    vec![
        Fact::new(LAYER_SIZE, "layer", Value::Count(count as u64)).note(note),
        Fact::hidden(LAYER, Value::Text(names.join(", "))),
    ]
}

/// The ranks that were recorded, if some were not.
fn recorded(run: &Run) -> Option<Fact> {
    let size = run.worlds().get(&0).copied().unwrap_or(0);
    let recorded = gaps(run.unrecorded.iter().cloned(), size);
    (!run.unrecorded.is_empty()).then(|| {
        let note = format!("; {} not", numbers(&run.unrecorded));
        Fact::new(RECORDED_RANKS, "recorded", Value::Text(numbers(&recorded))).note(note)
    })
}

/// The languages that called MPI; shown only if one of them is not C.
fn called_from(run: &Run) -> Fact {
    let languages: BTreeSet<Language> = run.ranks.iter().flat_map(|rank| rank.languages.iter().copied()).collect();
    let names = Value::Text(in_words(&languages));
    if languages.iter().any(|language| *language != Language::C) {
        Fact::new(LANGUAGES, "called from", names)
    } else {
        Fact::hidden(LANGUAGES, names)
    }
}

/// The names with commas between them: `C, Fortran`.
pub fn in_words(languages: &BTreeSet<Language>) -> String {
    languages.iter().map(|language| language.name()).collect::<Vec<_>>().join(", ")
}

/// The time whose records are kept, if older ones were dropped. Tells if the figures cover only that time.
fn kept(run: &Run) -> Vec<Fact> {
    let Some(part) = KeptPart::of(run) else { return Vec::new() };
    let note = match run.choice.kept {
        true => " are kept: all figures are for calls that began then",
        false => " are kept; these totals are of the whole run",
    };
    let whole = Value::Seconds(part.whole);
    vec![
        Fact::new(KEPT, "the last", Value::Seconds(part.length)).note(" of ").figure(whole.clone()).note(note),
        Fact::hidden(KEPT_FROM, Value::Seconds(seconds(part.from))),
        Fact::hidden(RECORDED_TIME, whole),
        Fact::hidden(DROPPED_CALLS, Value::Count(part.dropped)),
    ]
}

/// The part of the run that the figures describe, if it is not the whole.
fn selected(run: &Run) -> Vec<Fact> {
    let selections = || run.asked().filter_map(|rank| rank.selection.as_ref()).filter(|selection| selection.is_part);
    let mut facts = Vec::new();
    if let Some(ranks) = &run.choice.ranks {
        let note = ": all figures are for these ranks";
        facts.push(Fact::new(ASKED_RANKS, "ranks", Value::Text(ranks.to_string())).note(note));
    }
    if selections().next().is_none() {
        return facts;
    }
    facts.extend(window(&run.choice));
    let whole = run.asked().map(Rank::unselected).fold(0.0, f64::max);
    facts.extend([
        Fact::hidden(WHOLE_WALL_TIME, Value::Seconds(whole)),
        Fact::hidden(TAKEN_OUT_MAX, Value::Seconds(taken_out(run).fold(0.0, f64::max))),
    ]);
    if let Some(region) = &run.choice.region {
        let entered: u64 = selections().map(|selection| selection.entered).sum();
        let who = if run.choice.ranks.is_some() { "these ranks" } else { "all ranks" };
        let note = format!(", entered {} by {who}: all figures are for it, out of ", plural(entered, "time"));
        let region = Fact::new(REGION, "region", Value::Text(region.clone()));
        facts.push(region.note(note).figure(Value::Seconds(whole)));
        facts.push(Fact::hidden(REGION_ENTERED, Value::Count(entered)));
    }
    facts
}

/// The window of time that --from and --to chose.
fn window(choice: &Choice) -> Vec<Fact> {
    let value = |time: i64| Value::Seconds(seconds(time));
    let note = ": all figures are for calls that began then";
    match (choice.from.map(value), choice.to.map(value)) {
        (Some(from), Some(to)) => {
            let both = Fact::new(FROM, "from", from).note(" to ").figure(to.clone()).note(note);
            vec![both, Fact::hidden(TO, to)]
        }
        (Some(from), None) => vec![Fact::new(FROM, "from", from).note(" on").note(note)],
        (None, Some(to)) => vec![Fact::new(TO, "until", to).note(note)],
        (None, None) => Vec::new(),
    }
}

/// Seconds that the program excluded by MPI_Pcontrol, for each rank.
pub fn taken_out(run: &Run) -> impl Iterator<Item = f64> {
    run.asked().map(|rank| rank.selection.as_ref().map_or(0.0, |selection| rank.clock.seconds(selection.taken_out)))
}

/// The recorder's cost, if the whole run is selected: it is not known for a part.
fn cost(run: &Run) -> Vec<Fact> {
    let calls = |rank: &Rank| rank.entries().map(|entry| entry.count).total();
    if run.ranks.iter().any(Rank::is_part) {
        return Vec::new();
    }
    RecordingCost::of(run.ranks.iter().map(|rank| (rank, calls(rank)))).facts()
}

/// Time in MPI: the mean, least and most over the ranks.
fn in_mpi(run: &Run) -> Vec<Fact> {
    let mut times: Vec<(f64, &Rank)> = run.asked().map(|rank| (rank.time_in_mpi(), rank)).collect();
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(least), Some(most)) = (times.first(), times.last()) else { return Vec::new() };
    let mean = times.iter().map(|(time, _)| time).sum::<f64>() / times.len() as f64;
    let describe = |(time, rank): &(f64, &Rank)| {
        let wall = rank.wall_of_threads();
        let share = if wall > 0.0 { 100.0 * time / wall } else { 0.0 };
        format!("{share:.1} %, {}", rank_in_words(rank))
    };
    vec![
        Fact::new(MPI_TIME_MEAN, "in MPI", Value::Seconds(mean))
            .note(" mean; min ")
            .figure(Value::Seconds(least.0))
            .note(format!(" ({}), max ", describe(least)))
            .figure(Value::Seconds(most.0))
            .note(format!(" ({})", describe(most))),
        Fact::hidden(MPI_TIME_MIN, Value::Seconds(least.0)),
        Fact::hidden(MPI_TIME_MAX, Value::Seconds(most.0)),
    ]
}

/// The share of the ranks' time in which they had no core; text says it if it is large.
fn delay(run: &Run) -> Option<Fact> {
    let share = delayed_share(run)?;
    let value = Value::Percent(100.0 * share);
    if share < LEAST_SHARE_OF_DELAYS {
        return Some(Fact::hidden(DELAY, value));
    }
    let note = " % of the ranks' time ready to run while others had their cores: all times include it";
    Some(Fact::new(DELAY, "delayed", value).note(note))
}

/// Time of starting and ending MPI, if it does not count.
fn start_and_end(run: &Run) -> Vec<Fact> {
    let spans = || run.asked().filter_map(|rank| Some((rank.start_and_end()?, rank.active()?)));
    let starts: Vec<f64> = spans().map(|((start, _), _)| start).collect();
    let ends: Vec<f64> = spans().filter(|(_, active)| active.end.is_some()).map(|((_, end), _)| end).collect();
    if starts.is_empty() {
        return Vec::new();
    }
    let mean = |times: &[f64]| Value::Seconds(times.iter().sum::<f64>() / times.len().max(1) as f64);
    let longest = |times: &[f64]| Value::Seconds(times.iter().copied().fold(0.0, f64::max));
    let start = Fact::new(START_MEAN, if ends.is_empty() { "start" } else { "start, end" }, mean(&starts));
    let start = match ends.is_empty() {
        true => start.note(" in MPI_Init, left out (--whole counts it)"),
        false => {
            let end = start.note(" in MPI_Init and ").figure(mean(&ends));
            end.note(" in MPI_Finalize, left out (--whole counts them)")
        }
    };
    let mut facts = vec![start, Fact::hidden(START_MAX, longest(&starts))];
    if !ends.is_empty() {
        facts.extend([Fact::hidden(END_MEAN, mean(&ends)), Fact::hidden(END_MAX, longest(&ends))]);
    }
    facts
}

/// The longest of the ranks' wall times, with the shortest if it is at least 1 % less.
fn wall_time(run: &Run, longest: f64) -> Fact {
    let whole = if run.choice.whole { ", with MPI_Init and MPI_Finalize, here and below" } else { "" };
    let fact = Fact::new(WALL_TIME, "wall time", Value::Seconds(longest)).note(whole);
    let Some(rank) = run.asked().min_by(|one, other| one.wall().total_cmp(&other.wall())) else { return fact };
    let shortest = rank.wall();
    if longest - shortest < 0.01 * longest {
        return fact;
    }
    // An unfinished rank may have run on after the last sign of life in its file.
    let is_least = rank.fate != ProcessFate::Runs && !rank.is_finalized();
    let note = if is_least { " (the shortest rank's at least " } else { " (the shortest rank's " };
    fact.note(note).figure(Value::Seconds(shortest)).note(")")
}
