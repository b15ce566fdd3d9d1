//! `communicators`: communicators, windows and files, by the number they have on all ranks.

use traces::definitions::ObjectKind;

use super::column::DataColumn;
use super::set::{DataSet, RankOfRows, rank_columns};
use super::table::DataRow;

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

    fn columns() -> Vec<DataColumn<CommunicatorRow, RankOfRows>> {
        type Row = CommunicatorRow;
        let mut columns = rank_columns();
        columns.extend([
            DataColumn::number(
                "communicator",
                "its number, the same for all its ranks; null where its processes are not known",
                |row: &Row, _| row.communicator,
            ),
            DataColumn::number("own_number", "the number that this rank's file has for it", |row: &Row, _| row.own),
            DataColumn::text("kind", "communicator, window or file", |row: &Row, _| row.kind.to_string()),
            DataColumn::text("name", "its name, empty where it has none", |row: &Row, _| row.name.clone()),
            DataColumn::whole(
                "size",
                "how many processes have a part in it, both groups of an intercommunicator",
                |row: &Row, _| row.size,
            ),
            DataColumn::number("own_rank", "this rank's number in it", |row: &Row, _| row.own_rank),
            DataColumn::flag("inter", "it is an intercommunicator", |row: &Row, _| row.is_inter),
            DataColumn::number("parent", "the communicator it was made from", |row: &Row, _| row.parent),
        ]);
        columns
    }
}

/// What a rank has a part in.
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
