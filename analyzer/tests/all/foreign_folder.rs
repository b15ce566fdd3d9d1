//! Reading a stranger's run folder does no harm, and blocks on nothing.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::{BEGIN, Folder, definitions, header, signature, stderr, stdout, two_ranks};
use object::{Object, ObjectSection, ObjectSymbol};
use traces::calls::Call;
use traces::definitions::{Definition, Module, Site};
use traces::signature::Signature;
use traces::write::{FileWriter, blank_block, call};

const OVERHEAR: &str = env!("CARGO_BIN_EXE_overhear");

/// Runs `overhear` for at most 60 s, with a cache folder of its own.
fn overhear(arguments: &[&str], cache: &Path) -> Output {
    Command::new("timeout").args(["60", OVERHEAR]).args(arguments).env("XDG_CACHE_HOME", cache).output().unwrap()
}

/// A run of one call, from the main function of this program.
fn with_a_site() -> Folder {
    with_a_site_of(Path::new(OVERHEAR))
}

/// A run of one call, from the main function of a program.
fn with_a_site_of(path: &Path) -> Folder {
    let bytes = fs::read(path).unwrap();
    let program = object::File::parse(&*bytes).unwrap();
    let build_id = program.build_id().unwrap().unwrap_or_default().to_vec();
    let main = program.symbols().find(|symbol| symbol.name() == Ok("main")).unwrap().address();
    let module = Definition::Module(Module { number: 1, path: path.display().to_string(), build_id });
    let site = Definition::Site(Site { number: 1, module: 1, offset: main + 1 });
    let mut words = Vec::new();
    call(&mut words, BEGIN, 1, BEGIN + 10, 20);
    let mut file = FileWriter::begin(Vec::new(), header(0, 1)).unwrap();
    file.thread(0, &blank_block()).unwrap();
    file.definitions(&[definitions(1, 0), vec![module, site]].concat()).unwrap();
    file.signatures(0, 0, &[Signature { site: 1, ..signature(1, Call::Barrier, i32::MIN, 0, 0) }]).unwrap();
    file.events(0, 0, BEGIN, &words).unwrap();
    let folder = Folder::new();
    folder.write("rank-0000.ovh", &file.into_inner());
    folder
}

fn names(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_link_called_sites_json_is_replaced_and_what_it_leads_to_stays_as_it_was() {
    let (folder, other) = (with_a_site(), Folder::new());
    other.write("precious", b"precious");
    symlink(other.0.join("precious"), folder.0.join("sites.json")).unwrap();
    let output = overhear(&["report", folder.0.to_str().unwrap(), "--by", "site"], &other.0);
    assert!(stdout(&output).contains("main"), "{output:?}");
    assert_eq!(fs::read(other.0.join("precious")).unwrap(), b"precious");
    assert!(fs::symlink_metadata(folder.0.join("sites.json")).unwrap().is_file());
    assert_eq!(names(&folder.0), ["rank-0000.ovh", "sites.json"]);
}

#[test]
fn names_of_call_sites_stay_out_of_a_folder_that_others_write_to() {
    let (folder, cache) = (with_a_site(), Folder::new());
    fs::set_permissions(&folder.0, Permissions::from_mode(0o777)).unwrap();
    let arguments = ["report", folder.0.to_str().unwrap(), "--by", "site"];
    let output = overhear(&[&arguments[..], &["--no-cache"]].concat(), &cache.0);
    assert!(stdout(&output).contains("main"), "{output:?}");
    assert_eq!((names(&folder.0).len(), names(&cache.0).len()), (1, 0));
    assert!(overhear(&arguments, &cache.0).status.success());
    assert_eq!(names(&folder.0), ["rank-0000.ovh"]);
    let kept = cache.0.join("overhear").join(format!("sites-{}.json", "07".repeat(16)));
    let text = fs::read_to_string(&kept).unwrap();
    assert!(text.contains("main"), "{text}");
    // The cached name is used.
    fs::write(&kept, text.replace("\"main\"", "\"kept\"")).unwrap();
    assert!(stdout(&overhear(&arguments, &cache.0)).contains("kept"));
}

#[test]
fn what_is_no_file_is_passed_over_and_said() {
    let (folder, cache) = (two_ranks(), Folder::new());
    for name in ["rank-0002.ovh", "sites.json"] {
        assert!(Command::new("mkfifo").arg(folder.0.join(name)).status().unwrap().success());
    }
    symlink("/dev/zero", folder.0.join("rank-0003.ovh")).unwrap();
    fs::create_dir(folder.0.join("rank-0004.ovh")).unwrap();
    for command in ["report", "waits", "progress"] {
        let output = overhear(&[command, folder.0.to_str().unwrap()], &cache.0);
        assert_eq!(output.status.code(), Some(4), "{command}: {output:?}");
        for said in ["rank-0002.ovh: a FIFO", "rank-0003.ovh: a device", "rank-0004.ovh: a folder"] {
            assert!(stdout(&output).contains(said), "{command}: {}", stdout(&output));
        }
    }
}

#[test]
fn what_was_asked_for_never_goes_through_a_link_and_is_there_whole_or_not_at_all() {
    let (folder, other) = (two_ranks(), Folder::new());
    let run = folder.0.to_str().unwrap();
    other.write("precious", b"precious");
    let link = other.0.join("link");
    symlink(other.0.join("precious"), &link).unwrap();
    for command in [&["report", run, "--output"][..], &["plot", run, "breakdown", "--force", "--output"]] {
        let refused = overhear(&[command, &[link.to_str().unwrap()]].concat(), &other.0);
        assert_eq!(refused.status.code(), Some(3), "{command:?}");
        assert!(stderr(&refused).contains("link: a symbolic link, which is not followed"), "{}", stderr(&refused));
        assert_eq!(fs::read(other.0.join("precious")).unwrap(), b"precious", "{command:?}");
        let file = other.0.join("file");
        fs::write(&file, "older").unwrap();
        let written = overhear(&[command, &[file.to_str().unwrap()]].concat(), &other.0);
        assert_eq!(written.status.code(), Some(0), "{command:?}: {written:?}");
        assert!(fs::read(&file).unwrap().len() > 100, "{command:?}");
        let piped = overhear(&[command, &["/dev/stdout"]].concat(), &other.0);
        assert!(piped.status.success() && piped.stdout.len() > 100, "{command:?}: {piped:?}");
    }
    assert_eq!(names(&other.0), ["file", "link", "precious"]);
}

/// Compiles a program with its debugging information in a separate file.
fn with_split_information(folder: &Path) -> (PathBuf, PathBuf) {
    let (source, program) = (folder.join("split.c"), folder.join("split"));
    // Only debugging information knows an inlined function.
    let text = "static inline void inner(void) { __asm__ volatile(\"nop\"); }\nint main(void) { inner(); return 0; }\n";
    fs::write(&source, text).unwrap();
    let compile = |arguments: &[&str]| {
        let mut compiler = Command::new("cc");
        assert!(compiler.args(arguments).current_dir(folder).status().unwrap().success(), "{arguments:?}");
    };
    compile(&["-g", "-O1", "-gsplit-dwarf", "-c", "split.c"]);
    compile(&["-Wl,--build-id", "-o", "split", "split.o"]);
    (program, folder.join("split.dwo"))
}

#[test]
fn debugging_information_beside_the_program_is_read_where_it_is_a_file() {
    let (programs, cache) = (Folder::new(), Folder::new());
    let (program, information) = with_split_information(&programs.0);
    let folder = with_a_site_of(&program);
    let site = || {
        let output = overhear(&["report", folder.0.to_str().unwrap(), "--by", "site", "--no-cache"], &cache.0);
        assert!(output.status.success(), "{output:?}");
        stdout(&output)
    };
    assert!(site().contains("inner (split.c:1)"), "{}", site());
    let make_fifo = |path: &Path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    fs::remove_file(&information).unwrap();
    // These pipes have no writer.
    make_fifo(&information);
    make_fifo(&program.with_extension("dwp"));
    assert!(site().contains("main (split.c:1)"), "{}", site());
    fs::remove_file(&information).unwrap();
    symlink("/dev/zero", &information).unwrap();
    assert!(site().contains("main (split.c:1)"), "{}", site());
}

#[test]
fn packed_debugging_information_that_claims_to_be_longer_than_it_can_be_is_left_alone() {
    let (programs, cache) = (Folder::new(), Folder::new());
    let (source, program) = (programs.0.join("packed.c"), programs.0.join("packed"));
    fs::write(&source, "int main(void) {\n    return 0;\n}\n").unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-g", "-gz=zlib", "-Wl,--build-id", "-o"]).arg(&program).arg(&source);
    assert!(compiler.status().unwrap().success());
    let folder = with_a_site_of(&program);
    let run = folder.0.to_str().unwrap();
    let site = |arguments: &[&str]| {
        stdout(&overhear(&[&["report", run, "--by", "site", "--no-cache"], arguments].concat(), &cache.0))
    };
    assert!(site(&[]).contains("main (packed.c:1)"), "{}", site(&[]));
    let mut bytes = fs::read(&program).unwrap();
    let sizes: Vec<usize> = {
        let file = object::File::parse(&*bytes).unwrap();
        let packed = file.sections().filter(|section| section.name().is_ok_and(|name| name.starts_with(".debug_")));
        // The length follows the kind of compression.
        packed.filter_map(|section| Some(section.file_range()?.0 as usize + 8)).collect()
    };
    assert!(!sizes.is_empty());
    sizes.iter().for_each(|at| bytes[*at..at + 8].copy_from_slice(&(1u64 << 46).to_le_bytes()));
    fs::write(&program, bytes).unwrap();
    let said = site(&[]).replace("\n  ", " ");
    assert!(said.contains("claims an impossible length"), "{said}");
}

#[test]
fn ranks_stand_in_their_own_order_whatever_their_files_are_called() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples/integer_sort-openmpi");
    let (plain, turned) = (Folder::new(), Folder::new());
    for rank in 0..4 {
        let name = format!("rank-000{rank}.ovh");
        let bytes = fs::read(sample.join(&name)).unwrap();
        plain.write(&name, &bytes);
        turned.write(&format!("{}.ovh", 9 - rank), &bytes);
    }
    for (command, flag) in [("report", "--by=rank"), ("matrix", "--format=csv"), ("waits", "--top=3")] {
        let [said, expected] = [&turned, &plain].map(|folder| {
            let output = overhear(&[command, folder.0.to_str().unwrap(), flag], &plain.0);
            assert!(output.status.success(), "{output:?}");
            stdout(&output)
        });
        assert_eq!(said, expected, "{command}");
    }
}
