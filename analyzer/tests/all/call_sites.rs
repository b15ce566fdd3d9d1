//! Call sites are looked up in the program, if it is still the one that ran, and numbered once for all analyses.

use std::collections::{BTreeSet, HashSet};
use std::env::current_exe;
use std::fs;

use crate::common::{BEGIN, Folder, definitions, header, json, report, signature, stdout};
use model::Run;
use model::critical::PathSite;
use model::matching::{Follow, settled};
use model::origins::Activity;
use model::rank::function;
use model::shared_walk::SharedWalk;
use model::sites::CallSite;
use object::Object;
use synthetic::{Shape, Topology};
use traces::calls::Call;
use traces::definitions::{Definition, Module, Site};
use traces::signature::{Signature, peer};
use traces::write::{FileWriter, blank_block, call};

/// Return address of the recorded call.
#[unsafe(no_mangle)]
extern "C" fn landmark() {}

/// Offset of `landmark` in its file.
fn offset() -> u64 {
    // SAFETY: zeros are an answer that says nothing.
    let mut about: libc::Dl_info = unsafe { std::mem::zeroed() };
    let address = landmark as *const () as usize;
    // SAFETY: asks which file an address of this program is in.
    assert_ne!(unsafe { libc::dladdr(address as *const _, &mut about) }, 0);
    (address - about.dli_fbase as usize) as u64
}

/// Names the recorded call's site, for a recording of this program with this build id.
fn site(build_id: Vec<u8>) -> String {
    let folder = Folder::new();
    let path = current_exe().unwrap().display().to_string();
    let mut file = FileWriter::begin(Vec::new(), header(0, 1)).unwrap();
    file.thread(0, &blank_block()).unwrap();
    file.definitions(&definitions(1, 0)).unwrap();
    // The return address lies after the call.
    let site = Site { number: 1, module: 1, offset: offset() + 1 };
    file.definitions(&[Definition::Module(Module { number: 1, path, build_id }), Definition::Site(site)]).unwrap();
    file.signatures(0, 0, &[Signature { site: 1, ..signature(1, Call::Barrier, peer::NONE, 0, 0) }]).unwrap();
    let mut words = Vec::new();
    call(&mut words, BEGIN, 1, BEGIN + 10, 5);
    file.events(0, 0, BEGIN, &words).unwrap();
    folder.write("rank-0000.ovh", &file.into_inner());
    let report = json(&folder.0, "site");
    report["sites"][0]["site"].as_str().unwrap().to_string()
}

#[test]
fn a_call_site_is_named_by_the_function_in_the_program_that_ran_and_not_in_another() {
    let data = fs::read(current_exe().unwrap()).unwrap();
    let own = object::File::parse(&*data).unwrap().build_id().unwrap().unwrap_or_default().to_vec();
    assert!(site(own.clone()).starts_with("landmark"), "{}", site(own));
    assert!(!site(vec![1, 2, 3]).contains("landmark"), "{}", site(vec![1, 2, 3]));
}

/// Lines at which each rank makes each of its calls.
const LINES: u32 = 7;

/// A run of ranks that call MPI at many lines.
fn at_many_lines() -> (Folder, Run) {
    let folder = Folder::new();
    let shape = Shape { ranks: 6, calls: 3_000, topology: Topology::Torus, seed: 1 };
    synthetic::run_at_lines(&folder.0, &shape, LINES).unwrap();
    let run = Run::load(&folder.0).unwrap();
    (folder, run)
}

#[test]
fn each_call_site_has_one_number_on_all_ranks_which_leads_to_its_name() {
    let (_folder, run) = at_many_lines();
    let mut used = BTreeSet::new();
    for (at, rank) in run.ranks.iter().enumerate() {
        for entry in rank.entries() {
            let number = run.call_sites().number(at, entry.signature.call, entry.signature.site);
            let site = run.sites.place(rank, entry.signature.site);
            assert_eq!(run.call_sites()[number as usize], CallSite { function: function(&entry.signature), site });
            used.insert(number);
        }
    }
    assert!(used.len() > 5 * LINES as usize, "{}", used.len());
    assert_eq!(run.call_sites().iter().collect::<HashSet<_>>().len(), run.call_sites().len());
}

#[test]
fn matching_habits_origins_and_path_name_a_call_site_by_one_number() {
    let (_folder, run) = at_many_lines();
    let mut settled = settled(&run, Follow::ORIGINS | Follow::JUMPS | Follow::QUEUES | Follow::DEPENDENCIES);
    let walk = SharedWalk::of(&run, &mut settled);
    let of_habits = |rank: u32, site: u32| walk.habits.get(&(rank, site)).map(|habits| habits.function);
    let named = |site: u32| run.call_sites()[site as usize].call().map(|call| call.number());
    for ((rank, site), habits) in &walk.habits {
        assert_eq!(named(*site), Some(habits.function), "rank {rank}, site {site}");
    }
    let (mut waits, mut activities) = (0, 0);
    for key in settled.account.waits.sums.keys() {
        for at in [key.waiter, key.cause] {
            let site = at.place.number() as u32;
            assert!(named(site).is_some() && of_habits(at.rank, site) == named(site), "{key:?}");
        }
        waits += 1;
    }
    for (rank, activity) in walk.origins.activities.keys() {
        let (Activity::In(to) | Activity::Between(_, to)) = *activity;
        // The calls that start and end MPI have no habits.
        let habits = of_habits(*rank, to);
        assert!(habits.is_none_or(|function| Some(function) == named(to)), "{activity:?} of rank {rank}");
        activities += u32::from(habits.is_some());
    }
    for (place, time) in &walk.path.places {
        let PathSite::In(site) = *place else { continue };
        for rank in time.on_path.keys() {
            assert_eq!(of_habits(*rank, site), named(site), "{place:?} of rank {rank}");
        }
    }
    assert!(waits > 100 && activities > 100 && walk.path.places.len() > LINES as usize, "{waits}, {activities}");
}

/// A function of GROMACS and two overloads, called from places whose lines are unknown.
const FUNCTIONS: [&str; 3] = [
    "dd_move_x(gmx_domdec_t*, float const (*) [3], gmx::ArrayRef<gmx::BasicVector<float> >, gmx_wallcycle*)",
    "reduce(gmx_domdec_t*, int)",
    "reduce(gmx_domdec_t*, double)",
];

#[test]
fn people_read_functions_without_parameters_unless_these_tell_them_apart() {
    let folder = Folder::new();
    let (path, build_id) = ("/opt/gromacs/gmx".to_string(), b"gromacs".to_vec());
    let mut file = FileWriter::begin(Vec::new(), header(0, 1)).unwrap();
    file.thread(0, &blank_block()).unwrap();
    file.definitions(&definitions(1, 0)).unwrap();
    file.definitions(&[Definition::Module(Module { number: 1, path: path.clone(), build_id: build_id.clone() })])
        .unwrap();
    let (mut words, mut at, mut sites) = (Vec::new(), BEGIN, serde_json::Map::new());
    for (number, function) in (1..).zip(FUNCTIONS) {
        file.definitions(&[Definition::Site(Site { number, module: 1, offset: u64::from(number) })]).unwrap();
        let barrier = Signature { site: number, ..signature(number, Call::Barrier, peer::NONE, 0, 0) };
        file.signatures(0, 0, &[barrier]).unwrap();
        call(&mut words, at, number, at + 10, 5);
        at += 15;
        sites.insert(number.to_string(), serde_json::json!([{ "function": function }]));
    }
    file.events(0, 0, BEGIN, &words).unwrap();
    folder.write("rank-0000.ovh", &file.into_inner());
    let build_id: String = build_id.iter().map(|byte| format!("{byte:02x}")).collect();
    let modules = serde_json::json!([{ "path": path, "build_id": build_id, "sites": sites }]);
    let saved = serde_json::json!({ "schema": "overhear-sites/1", "modules": modules });
    folder.write("sites.json", saved.to_string().as_bytes());

    let text = |flags: &[&str]| stdout(&report(&folder.0, &[&["--whole", "--by", "site"], flags].concat()));
    let short = text(&[]);
    assert!(short.contains("dd_move_x ") && !short.contains("dd_move_x("), "{short}");
    assert!(short.contains("reduce(gmx_domdec_t*, int)") && short.contains("reduce(gmx_domdec_t*, double)"), "{short}");
    let whole = text(&["--full-names", "--format", "csv"]);
    assert_eq!(whole, text(&["--format", "csv"]));
    for function in FUNCTIONS {
        assert!(whole.contains(function) && text(&["--full-names"]).contains("dd_move_x(gmx_domdec_t*"), "{whole}");
    }
}
