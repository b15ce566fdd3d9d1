//! Columns of tables.

mod compared;
mod messages;
mod requests;
mod standing;
mod time;
mod waiting;

pub use requests::REQUESTS;

/// By key, wherever they stand.
pub const ANYWHERE: &[(&str, &str)] = &[
    ("rank", "The rank in its MPI_COMM_WORLD."),
    ("function", "The MPI function, or (computation) for the time outside MPI."),
    ("site", "Where in the program the call is made: function, file and line; a number if the program is not at hand."),
    ("place", "The same in short: file and line."),
    ("calls", "How many calls, all ranks that the row is of."),
    (
        "open_calls",
        "Those of the calls that have not returned. Their time counts until now if their process runs, else until the last sign of life in its file.",
    ),
    (
        "open_waits",
        "Those of the waits that go on: nobody has done what the call waits for, so nobody is named as their cause.",
    ),
    ("messages", "How many messages, or one-sided transfers."),
    ("bytes", "Bytes handed out and received."),
    ("sent_bytes", "Bytes handed out, by the sender's own buffers."),
    ("received_bytes", "Bytes that arrived."),
    ("failed_calls", "Calls that returned an error."),
    ("call_min_s", "The shortest call."),
    ("call_mean_s", "A call in the mean."),
    ("call_max_s", "The longest call."),
    ("time_s", "Time in these calls."),
    ("time_max_s", "Time of the rank with the most."),
    ("time_max_rank", "The rank with the most time."),
    ("time_mean_s", "Time of a rank, mean of all ranks."),
    ("time_total_s", "Time of all ranks together."),
    ("time_share_percent", "Share of the time of all ranks in MPI."),
    ("time_share_of_wall_percent", "Share of the rank's wall time."),
    ("mpi_time_s", "Time in MPI of all of the rank's threads."),
    ("mpi_share_percent", "Share of the time that was spent in MPI."),
    ("communicator", "The communicator, window or file: by its name, or a number."),
    ("communicator_size", "The ranks of the communicator."),
    (
        "size_bytes",
        "Bytes of a message, or of a rank's part in a collective call; the least, where sizes stand together.",
    ),
    ("size_below_bytes", "What sizes that stand together are less than."),
    ("size_at_least_bytes", "The least bytes of these calls, a power of two."),
    ("requests", "How many requests."),
    ("mean_s", "The mean of the ranks."),
    ("max_s", "The most of any rank."),
    ("max_rank", "The rank with the most."),
    ("min_s", "The least of any rank."),
    ("min_rank", "The rank with the least."),
    ("root_rank", "The rank that all messages of the round go out from."),
    ("peer_rank", "One of the others."),
    ("from_rank", "The rank that sends."),
    ("to_rank", "The rank that receives."),
    ("entries", "Entries into the MPI library's progress engine."),
    ("productive_entries", "Entries that achieved something: a message, a completion, bytes moved."),
    ("engine_s", "Time in the progress engine."),
    ("ready_to_receive", "Descriptors found ready to receive from."),
    ("ready_to_send", "Descriptors found ready to send to."),
    ("entries_per_call", "Entries into the progress engine for each call."),
    ("entry_s", "An entry in the mean."),
    ("error_s", "By how much the figure may be off, by the clocks."),
    ("clock_error_s", "By how much the times may be off, by the clocks."),
    ("percent", "The metric, of 100."),
    ("metric", "Which metric."),
    ("longest_s", "The longest one."),
    (
        "bound_rule",
        "What the upper bound rests on: equal, what equal or larger requests take that nothing overlaps; plain, the calls \
         alone; engine, entries into the progress engine; asked, what MPI said.",
    ),
    ("transfer_from", "Where the transfer time was measured: at this call site, another one, or nowhere."),
    ("traffic", "Sends or receives."),
    ("way", "Which way messages go."),
];

/// By table and key, where the table says more.
const OF_TABLES: [&[(&str, &str, &str)]; 5] =
    [time::TIME, waiting::WAITING, messages::MESSAGES, standing::STANDING, compared::COMPARED];

/// What a table says of a key of its own.
pub fn of_table(table: &str, key: &str) -> Option<&'static str> {
    let mut all = OF_TABLES.iter().copied().flatten();
    all.find(|(of, name, _)| *of == table && *name == key).map(|(_, _, meaning)| *meaning)
}
