//! Writes the definitions that an archive's events refer to. They come last, since the events collect them.

use super::communicators::{Communicators, FIRST_GROUP, SELF_GROUP};
use super::definition_writer::{DefinitionWriter, Group, NONE};
use super::event_meanings::{Definitions, MPI};
use super::processes::Processes;
use model::error::Error;

/// `OTF2_TYPE_UINT64`, `OTF2_TYPE_SOURCE_CODE_LOCATION` and `OTF2_TYPE_CALLING_CONTEXT`.
const WHOLE: u8 = 4;
const SOURCE: u8 = 20;
const CONTEXT: u8 = 21;
/// Attributes by number: name, description and type.
const ATTRIBUTES: [(&str, &str, u8); 5] = [
    ("calls", "calls that asked in vain and are told as one", WHOLE),
    ("inside_ns", "their time inside MPI, nanoseconds", WHOLE),
    ("open", "1 for a call that has not returned: it is left when its rank was last known to live", WHOLE),
    ("call_site", "where the program makes the call", SOURCE),
    ("path", "the program's functions on the way to the call", CONTEXT),
];

/// `OTF2_GROUP_TYPE_COMM_LOCATIONS`, `_COMM_GROUP` and `_COMM_SELF`.
const ALL_PROCESSES: u8 = 4;
const LISTED: u8 = 5;
const ALONE: u8 = 6;

pub fn write(
    mut definitions: Definitions,
    writer: DefinitionWriter<'_>,
    processes: &Processes,
    communicators: &Communicators,
) -> Result<(), Error> {
    let attributes = ATTRIBUTES.map(|(name, meaning, kind)| (definitions.text(name), definitions.text(meaning), kind));
    let (mpi, unnamed) = (definitions.text("MPI"), definitions.text(""));
    let names: Vec<u32> = communicators.list.iter().map(|one| definitions.text(&one.name)).collect();
    let tree = processes.names(&mut definitions);
    let contexts = definitions.contexts();
    let timer = definitions.text("processor time");
    for (number, text) in (0..).zip(&definitions.texts.list) {
        writer.text(number, text)?;
    }
    writer.paradigm(MPI, mpi)?;
    for (number, (name, meaning, kind)) in (0..).zip(attributes) {
        writer.attribute(number, name, meaning, kind)?;
    }
    processes.write(&writer, &tree)?;
    for (number, region) in (0..).zip(&definitions.regions.list) {
        writer.region(number, *region)?;
    }
    for (number, place) in (0..).zip(&definitions.places.list) {
        writer.source_location(number, *place)?;
    }
    for (number, context) in (0..).zip(&contexts) {
        writer.context(number, context)?;
    }
    if definitions.period > 0 {
        writer.timer(timer, definitions.period)?;
    }
    let first = processes.first_locations();
    let group = |number, kind, members| writer.group(unnamed, Group { number, kind, paradigm: MPI, members });
    group(0, ALL_PROCESSES, &first)?;
    group(SELF_GROUP, ALONE, &[])?;
    for (number, members) in (FIRST_GROUP..).zip(&communicators.groups) {
        group(number, LISTED, members)?;
    }
    for (one, name) in communicators.list.iter().zip(names) {
        writer.communicator(one.number, name, one.group, one.parent.unwrap_or(NONE))?;
    }
    writer.finish()
}
