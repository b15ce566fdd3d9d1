-- Time, calls and bytes by rank and function: `overhear report --by rank`.
--
-- In: signatures. Out: a row for each rank and function that it called, times in seconds; calls inside other MPI calls only in nested_calls.
SELECT
    CAST(world AS BIGINT) * 4294967296 + COALESCE(CAST(rank AS BIGINT), 4294967295) AS process,
    function,
    COALESCE(SUM(CASE WHEN NOT nested THEN time_s END), 0E0) AS time_s,
    CAST(COALESCE(SUM(CASE WHEN NOT nested THEN CAST(calls AS BIGINT) END), 0) AS BIGINT) AS calls,
    CAST(COALESCE(SUM(CASE WHEN NOT nested THEN CAST(open_calls AS BIGINT) END), 0) AS BIGINT) AS open_calls,
    CAST(COALESCE(SUM(CASE WHEN NOT nested THEN CAST(failed_calls AS BIGINT) END), 0) AS BIGINT) AS failed_calls,
    CAST(COALESCE(SUM(CASE WHEN nested THEN CAST(calls AS BIGINT) END), 0) AS BIGINT) AS nested_calls,
    CAST(COALESCE(SUM(CASE WHEN NOT nested THEN CAST(sent_bytes AS BIGINT) END), 0) AS BIGINT) AS sent_bytes,
    CAST(COALESCE(SUM(CASE WHEN NOT nested THEN CAST(received_bytes AS BIGINT) END), 0) AS BIGINT) AS received_bytes,
    CAST(COALESCE(SUM(CASE WHEN NOT nested THEN CAST(pieces AS BIGINT) END), 0) AS BIGINT) AS pieces,
    -- A call that has not returned counts only where none has.
    MIN(CASE WHEN NOT nested AND CAST(calls AS BIGINT) > CAST(open_calls AS BIGINT) THEN min_s END) AS returned_min_s,
    MIN(CASE WHEN NOT nested AND CAST(calls AS BIGINT) > 0 THEN min_s END) AS any_min_s,
    COALESCE(MAX(CASE WHEN NOT nested THEN max_s END), 0E0) AS max_s,
    CAST(COALESCE(SUM(CASE WHEN NOT nested THEN CAST(engine_entries AS BIGINT) END), 0) AS BIGINT) AS engine_entries,
    CAST(COALESCE(SUM(CASE WHEN NOT nested THEN CAST(engine_productive_entries AS BIGINT) END), 0) AS BIGINT)
        AS engine_productive_entries,
    COALESCE(SUM(CASE WHEN NOT nested THEN engine_s END), 0E0) AS engine_s
FROM signatures
GROUP BY CAST(world AS BIGINT) * 4294967296 + COALESCE(CAST(rank AS BIGINT), 4294967295), function
