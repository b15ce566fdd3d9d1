//! A run in which everything has the same name.

use traces::calls::Call;
use traces::definitions::{Communicator, Definition, Library, Process, Region, SourcePlace};
use traces::record::{self, RecordKind};
use traces::signature::Signature;
use traces::write::{FileWriter, blank_block, call};

use super::{BEGIN, Folder, header, signature};

/// Two ranks in which everything has this name.
pub fn named(name: &str) -> Folder {
    named_in(Folder::new(), name)
}

/// Writes such a run into an existing folder.
pub fn named_in(folder: Folder, name: &str) -> Folder {
    let send = Signature { site: 1, ..signature(1, Call::Send, 1, 100, 0) };
    let receive = Signature { site: 1, ..signature(1, Call::Recv, 0, 0, 100) };
    for (rank, signature) in [(0, send), (1, receive)] {
        let mut words = Vec::new();
        words.push(record::region(RecordKind::RegionBegin, 5, 1));
        let last = call(&mut words, BEGIN + 5, 1, BEGIN + 10, 1_000);
        words.push(record::region(RecordKind::RegionEnd, 20, 1));
        call(&mut words, last + 20, 1, BEGIN + 5_000, 2_000);
        let mut file = FileWriter::begin(Vec::new(), header(rank, 2)).unwrap();
        file.thread(0, &blank_block()).unwrap();
        let text = || name.to_string();
        file.definitions(&[
            Definition::Process(Process {
                host: text(),
                program: format!("/bin/{name}"),
                arguments: vec![text(), text()],
                ..Process::default()
            }),
            Definition::Library(Library { version: text(), path: text() }),
            Definition::Communicator(Communicator {
                number: 1,
                rank: rank as i32,
                size: 2,
                inter: false,
                name: text(),
            }),
            Definition::Filter(text()),
            Definition::Warning(text()),
            Definition::Region(Region { number: 1, name: text() }),
            Definition::Place(SourcePlace { site: 1, file: text(), line: 7, function: text() }),
        ])
        .unwrap();
        file.signatures(0, 0, &[signature]).unwrap();
        file.events(0, 0, BEGIN, &words).unwrap();
        folder.write(&format!("rank-000{rank}.ovh"), &file.into_inner());
    }
    folder
}
