//! Call sites are looked up in the program, if it is still the one that ran.

use std::env::current_exe;
use std::fs;

use crate::common::{BEGIN, Folder, definitions, header, json, signature};
use object::Object;
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
