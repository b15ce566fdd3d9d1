-- What became of the messages and collective operations, and what was not looked at: the first lines of `overhear waits`.
--
-- In: timed_roles, matched_messages, matched_operations. Out: one row.
WITH messages AS (
    SELECT
        SUM(CASE WHEN is_matched AND sent_selected THEN 1 ELSE 0 END) AS matched,
        SUM(CASE WHEN is_uncertain AND sent_selected THEN 1 ELSE 0 END) AS uncertain,
        SUM(CASE WHEN is_sent AND NOT is_matched AND sent_selected AND NOT sent_open THEN 1 ELSE 0 END) AS unreceived,
        SUM(CASE WHEN is_posted AND NOT is_matched AND posted_selected THEN 1 ELSE 0 END) AS unsent,
        SUM(CASE WHEN is_matched AND received_end_ns < sent_ns THEN 1 ELSE 0 END) AS backwards
    FROM matched_messages
    WHERE is_first
), operations AS (
    SELECT COUNT(*) AS matched, SUM(CASE WHEN is_confused THEN 1 ELSE 0 END) AS confused
    FROM (
        SELECT communicator, ordinal, start_number, MAX(CASE WHEN is_matched THEN 1 ELSE 0 END) = 1 AS is_matched,
            MAX(CASE WHEN is_confused THEN 1 ELSE 0 END) = 1 AS is_confused
        FROM matched_operations
        WHERE selected
        GROUP BY communicator, ordinal, start_number
    ) groups
    WHERE is_matched OR is_confused
), others AS (
    SELECT
        SUM(CASE WHEN ((role = 'send' AND NOT cancelled AND (peer IS NULL OR communicator IS NULL)) OR role = 'elsewhere')
            AND NOT peer_unrecorded AND selected THEN 1 ELSE 0 END) AS elsewhere,
        SUM(CASE WHEN role IN ('send', 'receive', 'elsewhere') AND peer_unrecorded AND selected THEN 1 ELSE 0 END) AS unrecorded,
        SUM(CASE WHEN role = 'epoch' AND selected THEN 1 ELSE 0 END) AS epochs,
        SUM(CASE WHEN open AND selected THEN 1 ELSE 0 END) AS open_calls
    FROM timed_roles
)
SELECT
    CAST(COALESCE(messages.matched, 0) AS BIGINT) AS matched_messages,
    CAST(COALESCE(messages.uncertain, 0) AS BIGINT) AS uncertain_messages,
    CAST(COALESCE(messages.unreceived, 0) AS BIGINT) AS unreceived_messages,
    CAST(COALESCE(messages.unsent, 0) AS BIGINT) AS unsent_messages,
    CAST(COALESCE(messages.backwards, 0) AS BIGINT) AS backward_messages,
    CAST(COALESCE(operations.matched, 0) - COALESCE(operations.confused, 0) AS BIGINT) AS matched_collectives,
    CAST(COALESCE(operations.confused, 0) AS BIGINT) AS confused_collectives,
    CAST(COALESCE(others.elsewhere, 0) AS BIGINT) AS messages_elsewhere,
    CAST(COALESCE(others.unrecorded, 0) AS BIGINT) AS unrecorded_messages,
    CAST(COALESCE(others.epochs, 0) AS BIGINT) AS epochs,
    CAST(COALESCE(others.open_calls, 0) AS BIGINT) AS open_calls
FROM messages
CROSS JOIN operations
CROSS JOIN others
