//! `communicators`: communicators, windows and files, by the number that is the same on all ranks.

use traces::definitions::ObjectKind;

use super::set::{DataSet, RankOfRows, rank_columns};
use super::table::DataRow;
use tables::{Column, Shared};

/// A rank's part in a communicator, window or file.
pub struct CommunicatorRow {
    communicator: Option<u32>,
    own: u32,
    kind: &'static str,
    name: String,
    size: Option<u64>,
    own_rank: Option<u32>,
    is_inter: bool,
    parent: Option<u32>,
}

impl DataRow for CommunicatorRow {
    type Common = RankOfRows;
    const TABLE: &'static str = "communicators";
    const MEANING: &'static str = "A communicator, window or file that a rank has a part in.";

    fn columns() -> Vec<Column<CommunicatorRow, RankOfRows>> {
        type Row = CommunicatorRow;
        let mut columns = rank_columns();
        columns.extend([
            Shared::id("communicator", |row: &Row, _| row.communicator)
                .means("its number, the same for all its ranks; null where its processes are not known"),
            Shared::id("own_number", |row: &Row, _| row.own).means("the number that this rank's file has for it"),
            Shared::text("kind", |row: &Row, _| row.kind.to_string()).means("communicator, window or file"),
            Shared::text("name", |row: &Row, _| row.name.clone()).means("its name, empty where it has none"),
            Shared::count("size", |row: &Row, _| row.size)
                .means("how many processes have a part in it, both groups of an intercommunicator"),
            Shared::id("own_rank", |row: &Row, _| row.own_rank).means("this rank's number in it"),
            Shared::flag("inter", |row: &Row, _| row.is_inter).means("it is an intercommunicator"),
            Shared::id("parent", |row: &Row, _| row.parent).means("the communicator it was made from"),
        ]);
        columns
    }
}

/// The communicators, windows and files of a rank.
pub fn rows(set: &DataSet<'_>, at: usize) -> Vec<CommunicatorRow> {
    let rank = &set.run.ranks[at];
    let mut own: Vec<u32> = rank.communicators.keys().chain(rank.objects.keys()).copied().collect();
    own.sort_unstable();
    own.dedup();
    let row = |own: u32| {
        let communicator = rank.communicators.get(&own);
        let number = set.objects.number(at, own);
        let group = number.map(|number| &set.objects.groups[number as usize]);
        let kind = match rank.objects.get(&own).map(|object| object.kind) {
            None => "communicator",
            Some(ObjectKind::Window) => "window",
            Some(ObjectKind::File) => "file",
        };
        CommunicatorRow {
            communicator: number,
            own,
            kind,
            name: communicator.map(|communicator| communicator.name.clone()).unwrap_or_default(),
            size: group.map(|group| group.size()),
            own_rank: group.and_then(|group| group.own(at)),
            is_inter: communicator.is_some_and(|communicator| communicator.inter),
            parent: rank.origins.get(&own).and_then(|origin| set.objects.number(at, origin.parent)),
        }
    };
    own.into_iter().map(row).collect()
}
