//! A file is read as it was written.

use crate::common::{CALLS, Listener, Said, all_said, header, open, signature, three_pages};
use traces::accesses::{Accesses, MOST_ACCESSES, MOST_BYTES, Operation};
use traces::calls::Call;
use traces::definitions::{
    CalledFrom, Caller, Communicator, CompletionTest, Definition, EqualParts, Group, Neighbors, Parts, Process, Site,
    Span, Step, StepKind, Variable, variables_of, variables_text,
};
use traces::file::{Level, ProfileEntry, ThreadBlock};
use traces::live::LiveProductive;
use traces::progress::{self, Entries, EntryRun, Polls, RUNS};
use traces::read::{Recorded, RecordedCall, walk};
use traces::record::{
    self, Arrived, Content, Fate, MAX_SHORT, MAX_SIGNATURE, RecordKind, Sample, Unsampled, UntakenReason,
};
use traces::signature::{Signature, peer};
use traces::teams::{MOST_REGIONS, MOST_THREADS, OpenTeam, Teams};
use traces::write::{FileWriter, blank_block};
use zerocopy::{FromZeros, IntoBytes};

#[test]
fn calls_of_every_length_keep_their_exact_ticks() {
    let said = all_said(&open(&three_pages()).unwrap());
    assert_eq!(said, CALLS.map(|(number, start, duration)| Said::Call(number, start, duration)));
}

#[test]
fn of_two_signatures_with_one_number_the_later_one_holds() {
    let mut file = FileWriter::begin(Vec::new(), header(0)).unwrap();
    file.signatures(0, 0, &[signature(1, Call::Send), signature(1, Call::Recv)]).unwrap();
    let bytes = file.into_inner();
    let file = open(&bytes).unwrap();
    let contents = file.contents();
    let (found, _) = contents.threads[0].signatures.get(1).unwrap();
    assert_eq!(found.call, Call::Recv.number());
}

#[test]
fn a_repeated_call_takes_eight_bytes() {
    let mut words = Vec::new();
    traces::write::call(&mut words, 1_000, 17, 1_500, 2_600_000);
    assert_eq!(words.len(), 1);
}

#[test]
fn a_call_that_began_before_the_last_one_ended_keeps_its_start() {
    let mut words = Vec::new();
    let last = traces::write::call(&mut words, 0, 1, 500, 100);
    traces::write::call(&mut words, last, 2, 100, 800);
    let mut file = FileWriter::begin(Vec::new(), header(0)).unwrap();
    file.events(0, 0, 0, &words).unwrap();
    assert_eq!(all_said(&open(&file.into_inner()).unwrap()), [Said::Call(1, 500, 100), Said::Call(2, 100, 800)]);
}

/// The contents of a page with these records. The first gap counts from 1000.
fn said(words: &[u64]) -> Vec<Said> {
    let mut file = FileWriter::begin(Vec::new(), header(0)).unwrap();
    file.events(0, 0, 1000, words).unwrap();
    all_said(&open(&file.into_inner()).unwrap())
}

#[test]
fn entries_into_the_progress_engine_keep_their_ticks() {
    let few = Entries { entries: 0xf_ffff, productive: 0x3f, ticks: (1 << 30) - 1 };
    let many = Entries { entries: 1 << 40, productive: 1 << 39, ticks: 1 << 50 };
    assert_eq!(progress::engine(&many), None);
    let last = 1000;
    let near =
        [EntryRun { start: 300, end: 400, count: 1 }, EntryRun { start: last + (1 << 27) - 1, end: 1 << 28, count: 1 }];
    let far = EntryRun { start: 5, end: 1 << 60, count: 1 };
    let several = EntryRun { start: 900, end: 900_000, count: 70 };
    assert_eq!(progress::productive(&far, last).or(progress::productive(&several, last)), None);
    let mut words = vec![progress::engine(&few).unwrap()];
    words.extend(progress::engine_long(&many));
    words.extend(near.map(|run| progress::productive(&run, last).unwrap()));
    words.extend(progress::run(RecordKind::ProductiveRun, &far, last));
    words.extend(progress::run(RecordKind::Outside, &several, last));
    words.push(record::short(1, 0, 7).unwrap());
    let expected = [
        Said::Engine(few),
        Said::Engine(many),
        Said::Productive(near[0]),
        Said::Productive(near[1]),
        Said::Productive(far),
        Said::Outside(several),
        // Entries take no time on the clock.
        Said::Call(1, 1000, 7),
    ];
    assert_eq!(said(&words), expected);
}

#[test]
fn a_short_call_that_entered_the_engine_is_one_word_with_its_exact_sums() {
    let most = Entries { entries: 0x1f, productive: 3, ticks: 0x1fff };
    let word = progress::call(0x1ff, 0x3_ffff, 0x1fff, &most).unwrap();
    let start = 1000 + 0x3_ffff;
    let run = EntryRun { start, end: start + 0x1fff, count: 3 };
    let call = Said::Call(0x1ff, start, 0x1fff);
    assert_eq!(said(&[word]), [call, Said::Engine(most), Said::Productive(run)]);
    let none = Entries { entries: 1, productive: 0, ticks: 0 };
    assert_eq!(said(&[progress::call(1, 0, 0, &none).unwrap()]), [Said::Call(1, 1000, 0), Said::Engine(none)]);
    let more = [(0x200, 0, 0, none), (1, 1 << 18, 0, none), (1, 0, 1 << 13, none)];
    let with = |entries, productive, ticks| (1, 0, 0, Entries { entries, productive, ticks });
    let more = more.into_iter().chain([with(0x20, 0, 0), with(1, 4, 0), with(1, 0, 1 << 13)]);
    for (number, gap, duration, during) in more {
        assert_eq!(progress::call(number, gap, duration, &during), None);
    }
}

#[test]
fn a_call_with_one_productive_entry_is_two_words_and_says_when_that_was() {
    let during = Entries { entries: 0x1fff, productive: 1, ticks: 0xf_ffff };
    let words = [record::short(1, 5, 1 << 20).unwrap(), progress::one(&during, 0x1fff, 0x3ff).unwrap()];
    let end = 1005 + (1 << 20) - 0x3ff;
    let run = EntryRun { start: end - 0x1fff, end, count: 1 };
    assert_eq!(said(&words), [Said::Call(1, 1005, 1 << 20), Said::Engine(during), Said::Productive(run)]);
    let more = [(0x2000, 0, 0, 0), (1, 1 << 20, 0, 0), (1, 0, 0x2000, 0), (1, 0, 0, 0x400)];
    for (entries, ticks, duration, left) in more {
        assert_eq!(progress::one(&Entries { entries, ticks, productive: 1 }, duration, left), None);
    }
}

#[test]
fn any_number_of_productive_entries_is_told_in_a_few_runs_of_about_equal_length() {
    for entries in [1, 8, 9, 16, 17, 10_000] {
        let (productive, mut most) = (LiveProductive::default(), 1);
        for at in 0..entries {
            productive.add(10 * at, 10 * at + 3, &mut most);
        }
        let productive = productive.copy();
        let runs = productive.runs();
        assert_eq!(runs.iter().map(|run| run.count).sum::<u64>(), entries);
        assert!(runs.iter().all(|run| run.count <= most && run.end - run.start == 10 * (run.count - 1) + 3));
        assert!(runs.windows(2).all(|pair| pair[0].end + 7 == pair[1].start), "{entries}: {runs:?}");
        assert_eq!((runs[0].start, runs[runs.len() - 1].end), (0, 10 * (entries - 1) + 3));
        assert!(entries <= RUNS as u64 && most == 1 || most < entries.div_ceil(2), "{entries}: {most}");
    }
}

#[test]
fn regions_keep_their_ticks_and_numbers_and_the_next_gap_counts_from_there() {
    for at in [1300, 1300 + (1 << 28), 1300 + (1 << 50), 400] {
        let (skip, gap) = progress::skip(1300, at);
        let mut words = vec![record::region(RecordKind::RegionBegin, 300, 1)];
        words.extend(skip);
        words.push(record::region(RecordKind::RegionEnd, gap, record::MAX_REGION));
        words.push(record::short(1, 10, 20).unwrap());
        let expected = [
            Said::Region(RecordKind::RegionBegin, 1300, 1),
            Said::Region(RecordKind::RegionEnd, at, record::MAX_REGION),
            Said::Call(1, at + 10, 20),
        ];
        assert_eq!(said(&words), expected);
    }
}

#[test]
fn parallel_regions_keep_their_sums_and_take_no_time() {
    let teams = Teams {
        start: 400,
        end: 1 << 50,
        count: (1 << 40) - 1,
        site: u64::from(u32::MAX),
        threads: MOST_THREADS,
        unknown: MOST_REGIONS,
        inside: u64::MAX,
        work: 1,
        longest: 2,
        own: 3,
        barriers: 4,
        locks: 5,
    };
    let open = OpenTeam { start: 7, site: u32::MAX };
    let mut words = Vec::from(open.words(1000));
    words.push(record::short(1, 10, 20).unwrap());
    words.extend(teams.words(1030));
    words.push(record::short(1, 10, 20).unwrap());
    let expected = [Said::OpenTeam(open), Said::Call(1, 1010, 20), Said::Teams(teams), Said::Call(1, 1040, 20)];
    assert_eq!(said(&words), expected);
}

#[test]
fn accesses_keep_their_sums_and_take_no_time() {
    let accesses = Accesses {
        start: 400,
        end: 1 << 50,
        operation: Operation::Sync as u8,
        count: MOST_ACCESSES,
        site: u32::MAX,
        file: 1 << 31,
        time: u64::MAX,
        longest: 1,
        bytes: 1 << 63,
        smallest: 2,
        largest: MOST_BYTES,
        jumps: 3,
        failed: u32::MAX,
    };
    let mut words = Vec::from(accesses.words(1000));
    words.push(record::short(1, 10, 20).unwrap());
    assert_eq!(said(&words), [Said::Accesses(accesses), Said::Call(1, 1010, 20)]);
}

#[test]
fn accesses_that_join_are_one_run() {
    let one = |at: u64, time: u64, bytes: u32| Accesses {
        bytes: bytes.into(),
        smallest: bytes,
        largest: bytes,
        ..Accesses::one(Operation::Write, 7, 2, [at, at + time])
    };
    let mut run = one(100, 10, 512);
    assert!(run.join(&one(200, 30, 64)) && run.join(&Accesses { jumps: 1, failed: 1, ..one(300, 5, 0) }));
    let all = Accesses {
        count: 3,
        time: 45,
        longest: 30,
        bytes: 576,
        smallest: 0,
        largest: 512,
        jumps: 1,
        failed: 1,
        end: 305,
        ..one(100, 0, 0)
    };
    assert_eq!(run, all);
    assert!(!Accesses { count: MOST_ACCESSES, ..run }.join(&one(400, 1, 1)));
}

#[test]
fn parallel_regions_in_a_threads_block_are_shown_unless_they_have_a_record() {
    let teams = Teams { start: 100, end: 300, count: 2, threads: 2, inside: 150, work: 250, ..Teams::default() };
    let mut block = in_calls(&[]);
    block.teams = teams;
    let file = open(&with_block(&block)).unwrap();
    let (contents, copy) = (file.contents(), file.contents().threads[0].block.unwrap().copy());
    assert_eq!(copy.teams, teams);
    let behind = |last| contents.threads[0].behind(Some(copy), &Recorded { teams: last, ..Recorded::default() }).teams;
    assert_eq!([behind(None), behind(Some(50)), behind(Some(100))], [Some(teams), Some(teams), None]);
}

#[test]
fn requests_found_complete_keep_their_ticks_and_ages_and_the_next_gap_counts_from_there() {
    let words = [record::found_complete(300, record::MAX_FOUND_AGE), record::short(1, 10, 20).unwrap()];
    assert_eq!(said(&words), [Said::FoundComplete(1300, record::MAX_FOUND_AGE), Said::Call(1, 1310, 20)]);
}

#[test]
fn samples_keep_their_ticks_and_the_next_gap_counts_from_there() {
    let sample = Sample { site: u32::MAX, periods: 3 };
    let long = Sample { site: 1, periods: (1 << 28) - 1 };
    let unsampled = Unsampled { recording: (1 << 28) - 1, lost: 5 };
    let (skip, gap) = progress::skip(1400, 1 << 40);
    let mut words = Vec::from(sample.words(400));
    words.extend(skip);
    words.extend(Sample { periods: u64::MAX, ..long }.words(gap));
    words.extend([unsampled.word(), record::short(1, 10, 20).unwrap()]);
    words.extend([record::sampled(u64::MAX), record::on_processor(1 << 50)]);
    let expected = [
        Said::Sample(1400, sample),
        Said::Sample(1 << 40, long),
        Said::Unsampled(unsampled),
        Said::Call(1, (1 << 40) + 10, 20),
        Said::Sampled((1 << 56) - 1),
        Said::OnProcessor(1 << 50),
    ];
    assert_eq!(said(&words), expected);
}

#[test]
fn polls_are_read_as_counted_and_the_next_gap_counts_from_their_end() {
    let polls = Polls {
        start: 400,
        end: 5_000_000,
        count: (1 << 32) - 1,
        total: 1 << 60,
        gaps: [0, u32::MAX],
        durations: [1, u32::MAX - 1],
        signature: 32766,
        last: 400,
    };
    let mut words = Vec::from(progress::polls(&polls, -600));
    words.push(record::short(1, 10, 20).unwrap());
    assert_eq!(said(&words), [Said::Polls(polls), Said::Call(1, 5_000_010, 20)]);
}

#[test]
fn ranks_in_steps_take_one_span_and_any_ranks_are_kept() {
    let even: Vec<i32> = (0..1000).map(|rank| 3 + 2 * rank).collect();
    assert_eq!(Span::all(&even).len(), 1);
    for ranks in [vec![], vec![5], vec![4, 4, 4], vec![-1, -1, 0, 1, 7, 3, 2], vec![9, 8, 7, 0], even] {
        let spans = Span::all(&ranks);
        let back: Vec<i32> = (0..ranks.len()).map(|place| Span::rank(&spans, place as u32).unwrap()).collect();
        assert_eq!(back, ranks);
        assert_eq!(Span::rank(&spans, ranks.len() as u32), None);
    }
}

#[test]
fn what_follows_a_call_is_read_as_written() {
    let arrived = Arrived { source: peer::ANY, tag: i32::MIN, bytes: (1 << 48) - 1, fate: Fate::Cancelled };
    let whole = Content { received: true, part: peer::NONE, bytes: (1 << 48) - 1, checksum: Ok(u32::MAX) };
    let untaken = Content { received: false, part: 7, bytes: 1, checksum: Err(UntakenReason::Size) };
    let mut words = vec![record::short(3, 1, 2).unwrap()];
    words.extend(arrived.words());
    words.extend([whole.words(), untaken.words()].concat());
    words.push(record::requests(RecordKind::Completed, 65_535, record::MAX_AGE));
    words.push(record::requests(RecordKind::Started, 1, 9));
    words.extend(record::elsewhere(RecordKind::Freed, 2, u32::MAX, u64::MAX));
    words.push(record::failed(15, -671_705_636));
    let mut file = FileWriter::begin(Vec::new(), header(0)).unwrap();
    file.events(0, 0, 10, &words).unwrap();
    let expected = [
        Said::Call(3, 11, 2),
        Said::Arrived(arrived),
        Said::Content(whole),
        Said::Content(untaken),
        Said::Requests(RecordKind::Completed, 65_535, record::MAX_AGE),
        Said::Requests(RecordKind::Started, 1, 9),
        Said::Elsewhere(RecordKind::Freed, 2, u32::MAX, u64::MAX),
        Said::Failed(15, -671_705_636),
    ];
    assert_eq!(all_said(&open(&file.into_inner()).unwrap()), expected);
}

#[test]
fn millions_of_signatures_have_numbers_and_take_two_words_a_call() {
    assert!(record::short(MAX_SHORT, 5, 6).is_some());
    assert!(record::short(MAX_SHORT + 1, 5, 6).is_none());
    let mut words = record::wide(MAX_SIGNATURE, -5, 6).unwrap().to_vec();
    words.extend(record::long(MAX_SIGNATURE - 1, 1 << 50, 7));
    let polls = Polls {
        start: 1 << 51,
        end: (1 << 51) + 9,
        count: u32::MAX.into(),
        signature: MAX_SIGNATURE.into(),
        ..Polls::default()
    };
    words.extend(progress::polls(&polls, 2));
    let mut file = FileWriter::begin(Vec::new(), header(0)).unwrap();
    file.events(0, 0, 10, &words).unwrap();
    let said = all_said(&open(&file.into_inner()).unwrap());
    let start = 11 + (1 << 50);
    let polls = Polls { start: start + 9, end: start + 18, last: start + 9, ..polls };
    let expected = [Said::Call(MAX_SIGNATURE, 5, 6), Said::Call(MAX_SIGNATURE - 1, start, 7), Said::Polls(polls)];
    assert_eq!(said, expected);
}

#[test]
fn a_number_behind_one_that_starts_a_request_is_the_same_signature() {
    let file = open(&three_pages()).unwrap();
    let contents = file.contents();
    let signatures = &contents.threads[0].signatures;
    assert_eq!(signatures.get(2).map(|(s, at_once)| (s.number, at_once)), Some((2, false)));
    assert_eq!(signatures.get(3).map(|(s, at_once)| (s.number, at_once)), Some((2, true)));
    assert!(signatures.get(4).is_none());
}

#[test]
fn definitions_come_back_in_order() {
    let definitions = [
        Definition::Process(Process {
            host: "h1".into(),
            arguments: vec!["a".into(), "ä b".into()],
            ..Default::default()
        }),
        Definition::Site(Site { number: 1, module: 0, offset: u64::MAX }),
        Definition::Communicator(Communicator { number: 1, rank: 0, size: 2, inter: false, name: String::new() }),
        Definition::Group(Group { number: 1, members: Span::all(&[0, 2, 4, 5]) }),
        Definition::Neighbors(Neighbors { communicator: 3, sources: Vec::new(), destinations: Span::all(&[1]) }),
        Definition::Recorded(Span::all(&[0, 1, 5])),
        Definition::Asked(CompletionTest::Word),
        Definition::Parts(Parts {
            number: 1,
            runs: vec![EqualParts { bytes: 0, count: 3 }, EqualParts { bytes: u64::MAX, count: 1 }],
        }),
        Definition::Caller(Caller { site: 1, caller: CalledFrom::Site(2) }),
        Definition::Caller(Caller { site: 2, caller: CalledFrom::Start }),
        Definition::SamplingPeriod(10_000_000),
        Definition::Steps(StepKind::ALL.map(|kind| Step { kind, ticks: 1 << 40 }).into()),
        Definition::Settings(vec!["UCX_TLS=tcp".into()]),
    ];
    let mut file = FileWriter::begin(Vec::new(), header(0)).unwrap();
    file.definitions(&definitions[..1]).unwrap();
    file.definitions(&definitions[1..]).unwrap();
    assert_eq!(open(&file.into_inner()).unwrap().contents().definitions, definitions);
}

#[test]
fn definitions_have_the_wire_format_of_bincode() {
    let site = Definition::Site(Site { number: 5, module: 2, offset: 0x1122 });
    // A variant's number in four bytes, integers in their own width, all little-endian.
    let expected =
        [&3u32.to_le_bytes()[..], &5u32.to_le_bytes(), &2u32.to_le_bytes(), &0x1122u64.to_le_bytes()].concat();
    assert_eq!(site.to_bytes().unwrap(), expected);
    let text = Definition::Filter("-io".into());
    assert_eq!(text.to_bytes().unwrap(), [&6u32.to_le_bytes()[..], &3u64.to_le_bytes(), b"-io"].concat());
}

#[test]
fn a_thread_shows_the_calls_it_is_in_outermost_first() {
    let file = with_block(&in_calls(&[(50, 1), (60, 2)]));
    let file = open(&file).unwrap();
    let contents = file.contents();
    let calls: Vec<_> = contents.threads[0].in_flight_now().iter().map(|c| (c.start, c.signature.number)).collect();
    assert_eq!(calls, [(50, 1), (60, 2)]);
}

#[test]
fn a_call_that_was_recorded_as_the_thread_died_is_not_shown_again() {
    let file = open(&with_block(&in_calls(&[(50, 1), (60, 2)]))).unwrap();
    let contents = file.contents();
    let (thread, block) = (&contents.threads[0], contents.threads[0].block.unwrap().copy());
    let starts = |last| thread.in_flight(&block, Some(last)).iter().map(|call| call.start).collect::<Vec<_>>();
    assert_eq!(starts(RecordedCall { start: 60, signature: 2 }), [50]);
    // Another call that began in the same tick.
    assert_eq!(starts(RecordedCall { start: 60, signature: 1 }), [50, 60]);
}

fn in_calls(calls: &[(u64, u64)]) -> ThreadBlock {
    let mut block = blank_block();
    block.depth = calls.len() as u32;
    for (level, (start, signature)) in block.levels.iter_mut().zip(calls) {
        *level = Level { start: *start, signature: *signature };
    }
    block
}

fn with_block(block: &ThreadBlock) -> Vec<u8> {
    let mut file = FileWriter::begin(Vec::new(), header(0)).unwrap();
    file.thread(0, block).unwrap();
    file.signatures(0, 0, &[signature(1, Call::Recv), signature(2, Call::Bcast)]).unwrap();
    file.into_inner()
}

#[test]
fn a_profile_ends_at_its_first_free_entry() {
    let entry = |signature| ProfileEntry { signature, count: 3, ..ProfileEntry::new_zeroed() };
    let mut file = FileWriter::begin(Vec::new(), header(0)).unwrap();
    file.profile(0, 0, &[entry(1), entry(2), entry(0), entry(4)]).unwrap();
    let file = open(&file.into_inner()).unwrap();
    let contents = file.contents();
    assert_eq!(contents.threads[0].profile.iter().map(|entry| entry.signature).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn pages_are_read_in_the_order_they_were_written_for_each_thread() {
    let mut file = FileWriter::begin(Vec::new(), header(0)).unwrap();
    for (thread, sequence) in [(1, 0), (0, 1), (0, 0), (1, 1)] {
        let (base, start) = (u64::from(thread * sequence), u64::from(sequence));
        file.events(thread, sequence, base, &[record::short(1, start - base, thread.into()).unwrap()]).unwrap();
    }
    let file = open(&file.into_inner()).unwrap();
    let mut listener = Listener::default();
    for page in file.contents().threads.iter().flat_map(|thread| &thread.pages) {
        walk(page, &mut listener).unwrap();
    }
    let order: Vec<_> =
        listener.0.iter().map(|said| if let Said::Call(_, s, t) = said { (*t, *s) } else { (9, 9) }).collect();
    assert_eq!(order, [(0, 0), (0, 1), (1, 0), (1, 1)]);
}

#[test]
fn a_signature_is_sixty_four_bytes_with_its_number_first() {
    let one: Signature = signature(0x0403_0201, Call::Send);
    assert_eq!(one.as_bytes().len(), 64);
    assert_eq!(one.as_bytes()[..4], [1, 2, 3, 4]);
}

#[test]
fn variables_of_the_library_come_back_with_where_they_are_from_and_a_piece_of_zeros_is_noticed() {
    let variable =
        |name: &str, value: &str, from: &str| Variable { name: name.into(), value: value.into(), from: from.into() };
    let all = [
        variable("pml", "^ucx", "/etc/a b.conf:7"),
        variable("eager", "", ""),
        variable("list", "a=1,b=2", "environment"),
    ];
    let text = variables_text(&all);
    assert_eq!(variables_of(&text), all);
    let definition = Definition::Variables(text);
    let mut bytes = definition.to_bytes().unwrap();
    assert_eq!(Definition::from_bytes(&bytes), Some(definition));
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4].fill(0);
    assert_eq!(Definition::from_bytes(&bytes), None);
}
