//! Columns of several runs beside each other.

/// Table, key, meaning.
pub const COMPARED: &[(&str, &str, &str)] = &[
    // diff
    ("run", "a", "What A ran."),
    ("run", "b", "What B ran."),
    ("figures", "table", "The table that the figure is of."),
    ("figures", "row", "The row: a function, a call site, a wait state."),
    ("figures", "figure", "The column, by its JSON key."),
    ("figures", "b_by_a", "B divided by A."),
    ("figures", "b_by_a_low", "The least that the ratio may be, with 95 % confidence."),
    ("figures", "b_by_a_high", "The most that the ratio may be, with 95 % confidence."),
    ("figures", "p", "How likely a difference as large is by chance, where A and B are the same."),
    // diff --messages
    ("first_differences", "what", "What differs: number, order, size, content."),
    ("first_differences", "way", "Whether the rank sent it, received it, or took part in a collective operation."),
    ("first_differences", "ordinal", "Which one of the rank's messages that way, from 0."),
    ("first_differences", "peer", "The rank at the other end."),
    ("first_differences", "tag", "The message's tag."),
    ("first_differences", "a_bytes", "Its bytes in A."),
    ("first_differences", "b_bytes", "Its bytes in B."),
    ("first_differences", "a_checksum", "The CRC-32 of its content in A."),
    ("first_differences", "b_checksum", "The CRC-32 of its content in B."),
    ("message_counts", "sent_a", "Messages that the rank sent in A."),
    ("message_counts", "sent_b", "Messages that the rank sent in B."),
    ("message_counts", "received_a", "Messages that it received in A."),
    ("message_counts", "received_b", "Messages that it received in B."),
    ("message_counts", "collective_a", "Its parts of collective operations in A."),
    ("message_counts", "collective_b", "Its parts of collective operations in B."),
    ("message_counts", "checksums", "Checksums that were compared, equal or not."),
    ("message_counts", "differing", "Messages that differ."),
    // scaling
    ("times", "ranks", "At so many ranks."),
    ("models", "term", "What grows with the ranks, p: nothing, 1/p, log p, p, p log p or p^2."),
    ("models", "constant_s", "Seconds whatever the number of ranks."),
    ("models", "factor_s", "Seconds for each unit of what grows."),
    ("models", "error_percent", "By how much the model misses a number of ranks that it has not seen."),
    ("models", "expected_ranks", "Ten times the most ranks measured."),
    ("models", "expected_s", "The time expected there."),
    ("models", "expected_low_s", "The least that any model says which is not ruled out."),
    ("models", "expected_high_s", "The most that any model says which is not ruled out."),
];
