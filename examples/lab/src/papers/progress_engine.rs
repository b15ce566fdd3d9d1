//! Gabriel: why one MPI is slower than another.

use super::page::Page;
use super::processor::machine;
use super::setting::Setting;
use crate::case_study;

/// Table I of the paper: seconds of the sort on 64 ranks over Gigabit Ethernet, maximum over ranks.
const SORT: [(&str, &str, &str); 8] = [
    ("overall time", "28.46", "7.12"),
    ("MPI_Reduce", "1.6", "0.29"),
    ("MPI_Allreduce", "19.7", "4.11"),
    ("MPI_Alltoall", "0.25", "1.8"),
    ("MPI_Alltoallv", "21.5", "3.2"),
    ("MPI_Irecv", "0.000005", "0.0001"),
    ("MPI_Send", "0.0001", "0.0001"),
    ("MPI_Wait", "2.43", "0.328"),
];

/// Table II: ten exchanges of 32 KiB between every two of 64 ranks.
const EXCHANGE: [(&str, &str, &str); 5] = [
    ("engine called", "690,545", "11,981"),
    ("receive sockets kicked off", "25,172", "6,112"),
    ("send sockets kicked off", "44,194,880", "766,784"),
    ("time handling receive sockets, s", "0.340896", "0.212753"),
    ("time handling send sockets, s", "8.439059", "0.428231"),
];

pub fn write(_: &[Setting]) -> Result<(), String> {
    let mut page = Page::new("progress", "The progress engine: Open MPI and VolpexMPI");
    page.paragraph(
        "E. Gabriel, *Influence of the progress engine on the performance of asynchronous communication libraries*, University of Houston, UH-CS-10-02, 2010. An integer sort on 64 ranks takes \
         four times as long under one MPI as under another over the same Gigabit Ethernet: its progress engine is entered 57 times as \
         often, and each entry looks at send sockets that are always ready.",
    );
    page.paragraph(
        "The benchmarks `integer_sort` and `alltoallv_schemes` carry both experiments out; `overhear report` and `overhear progress` find the \
         figures in their traces. `cargo lab papers progress` makes this page anew, `cargo lab case-study` prints the tables alone.",
    );
    page.paragraph(&machine());
    let rows = |table: &[(&str, &str, &str)]| -> Vec<Vec<String>> {
        table.iter().map(|(name, one, other)| [name, one, other].map(|cell| cell.to_string()).into()).collect()
    };
    page.heading("The document's tables");
    page.paragraph("Seconds in each function, the most any rank spent, 64 ranks:");
    page.table(&["", "Open MPI", "VolpexMPI"], &rows(&SORT));
    page.paragraph("Ten exchanges of 32 KiB between every two of 64 ranks:");
    page.table(&["", "direct", "receiver based"], &rows(&EXCHANGE));
    page.heading("Here");
    page.terminal(&case_study::study()?.0);
    page.heading("Messages compared");
    page.paragraph(
        "The document shows by a CRC-32 of each message that both MPIs sent the same. Here `overhear record --checksum crc32` and `overhear \
         diff A B --messages` do.",
    );
    page.heading("What could not be done here");
    page.paragraph(
        "VolpexMPI is not to be had any more: its receiver based scheme is the benchmark's `pulled`. Four ranks stand in for 64, each on a \
         network namespace with a link of 1 Gbit/s where these are allowed, and two cores for 64 processors.",
    );
    page.write()
}
