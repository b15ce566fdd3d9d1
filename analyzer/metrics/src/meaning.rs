//! Meanings of columns and facts that several tables have.

pub const BYTES: &str = "Bytes handed out and received.";
pub const CALLS: &str = "How many calls, all ranks that the row is of.";
pub const CALL_MAX_S: &str = "The longest call.";
pub const CALL_MIN_S: &str = "The shortest call.";
pub const COMMUNICATOR: &str = "The communicator, window or file: by its name, or a number.";
pub const COMMUNICATOR_SIZE: &str = "The ranks of the communicator.";
pub const ENGINE_S: &str = "Time in the progress engine.";
pub const ENTRIES: &str = "Entries into the MPI library's progress engine.";
pub const ERROR_S: &str = "By how much the figure may be off, by the clocks.";
pub const FAILED_CALLS: &str = "Calls that returned an error.";
pub const FIGURE: &str = "The column, by its JSON key.";
pub const FROM_RANK: &str = "The rank that sends.";
pub const FUNCTION: &str = "The MPI function, or (computation) for the time outside MPI.";
pub const LEAST: &str = "The least that this may be, with 95 % confidence.";
pub const LONGEST_S: &str = "The longest one.";
pub const MAX_RANK: &str = "The rank with the most.";
pub const MEDIAN_LEAST: &str = "The least that the median may be, with 95 % confidence.";
pub const MEDIAN_MOST: &str = "The most that the median may be, with 95 % confidence.";
pub const METRIC: &str = "Which metric.";
pub const MOST: &str = "The most that this may be, with 95 % confidence.";
pub const MPI_SHARE_PERCENT: &str = "Share of the time that was spent in MPI.";
pub const OPEN_CALLS: &str = "Calls among these that have not returned. Their time counts until now if their process \
                              runs, else until the last sign of life in its file.";
pub const OPEN_WAITS: &str =
    "Waits among these that go on: nobody has done what the call waits for, so nobody is named as their cause.";
pub const OVERLAP_PERCENT: &str = "The share of the transfer that cost the program nothing, median: 1 - overhead / \
                                   transfer, of requests that computed at least a quarter of it.";
pub const PERCENT: &str = "The metric, of 100.";
pub const PRODUCTIVE_ENTRIES: &str = "Entries that achieved something: a message, a completion, bytes moved.";
pub const RANK: &str = "The rank in its MPI_COMM_WORLD.";
pub const READY_TO_RECEIVE: &str = "Descriptors found ready to receive from.";
pub const READY_TO_SEND: &str = "Descriptors found ready to send to.";
pub const PIECES: &str = "Pieces that these bytes lay in, where a datatype scatters them; missing where bytes lie side by side, or nobody knows.";
pub const RECEIVED_BYTES: &str = "Bytes that arrived.";
pub const REQUESTS: &str = "How many requests.";
pub const ROOT_RANK: &str = "The rank that all messages of the round go out from.";
pub const ROUND_RANKS: &str = "How many ranks take part in a round, the root among them.";
pub const MATCHED_COLLECTIVES: &str = "Collective operations that all processes joined.";
pub const MATCHED_MESSAGES: &str = "Messages for which send and receive were both found.";
pub const MESSAGES: &str = "How many messages, or one-sided transfers.";
pub const SENT_BYTES: &str = "Bytes handed out, by the sender's own buffers.";
pub const SITE: &str =
    "Where in the program the call is made: function, file and line; a number if the program is not at hand.";
pub const SIZE_BELOW_BYTES: &str = "The upper end of a range of sizes, exclusive.";
pub const SIZE_BYTES: &str =
    "Bytes of a message, or of a rank's part in a collective call; the least, where sizes stand together.";
pub const THAT_ERROR_S: &str = "By how much that may be off, by the clocks.";
pub const TIME_MAX_RANK: &str = "The rank with the most time.";
pub const TIME_MAX_S: &str = "Time of the rank with the most.";
pub const TIME_MEAN_S: &str = "Time of a rank, mean of all ranks.";
pub const TIME_S: &str = "Time in these calls.";
pub const TIME_SHARE_OF_WALL_PERCENT: &str = "Share of the rank's wall time.";
pub const TIME_SHARE_PERCENT: &str = "Share of the time of all ranks in MPI.";
pub const TIME_TOTAL_S: &str = "Time of all ranks together.";
pub const TO_RANK: &str = "The rank that receives.";
pub const TRAFFIC: &str = "Sends or receives.";
pub const TRANSFER_FROM: &str = "Where the transfer time was measured: at this call site, another one, or nowhere.";
pub const UNCERTAIN_MESSAGES: &str =
    "Messages of several threads at once, of which nobody knows which receive got which.";
pub const WAY: &str =
    "Which way messages go: from the root to the others (1:n), from them to the root (n:1), or both in turn.";
