-- Time, calls and bytes by function over all ranks: `overhear report`, and for the progress engine `overhear progress --by function`.
--
-- In: rank_functions. Out: a row for each function, with the most time of a rank and that rank.
WITH ordered AS (
    SELECT
        rank_functions.*,
        ROW_NUMBER() OVER (PARTITION BY function ORDER BY time_s DESC, process DESC) AS from_most
    FROM rank_functions
), summed AS (
    SELECT
        function,
        MAX(time_s) AS time_max_s,
        MAX(CASE WHEN from_most = 1 THEN process END) AS max_process,
        SUM(time_s) AS time_total_s,
        CAST(SUM(calls) AS BIGINT) AS calls,
        CAST(SUM(open_calls) AS BIGINT) AS open_calls,
        CAST(SUM(failed_calls) AS BIGINT) AS failed_calls,
        CAST(SUM(sent_bytes) AS BIGINT) AS sent_bytes,
        CAST(SUM(received_bytes) AS BIGINT) AS received_bytes,
        CAST(SUM(pieces) AS BIGINT) AS pieces,
        COALESCE(MIN(returned_min_s), MIN(any_min_s), 0E0) AS call_min_s,
        MAX(max_s) AS call_max_s,
        CAST(SUM(engine_entries) AS BIGINT) AS engine_entries,
        CAST(SUM(engine_productive_entries) AS BIGINT) AS engine_productive_entries,
        SUM(engine_s) AS engine_s
    FROM ordered
    GROUP BY function
)
SELECT * FROM summed WHERE calls > 0
