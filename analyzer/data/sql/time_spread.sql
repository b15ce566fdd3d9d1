-- How unevenly time is spread over the ranks: `overhear imbalance`.
--
-- In: rank_functions, ranks. Out: a row for each function, and one without a name for the time outside MPI: the mean of the ranks, the most
-- and the least, each with the first rank that has it, in seconds. A rank that never called a function spent no time in it.
WITH processes AS (
    SELECT
        CAST(world AS BIGINT) * 4294967296 + COALESCE(CAST(rank AS BIGINT), 4294967295) AS process,
        GREATEST(wall_of_threads_s - in_mpi_s, 0E0) AS outside_s
    FROM ranks
), called AS (
    SELECT function FROM rank_functions GROUP BY function HAVING SUM(calls) > 0
), times AS (
    SELECT
        processes.process,
        called.function,
        COALESCE(rank_functions.time_s, 0E0) AS time_s,
        COALESCE(rank_functions.open_calls, 0) AS open_calls
    FROM processes
    CROSS JOIN called
    LEFT JOIN rank_functions
        ON rank_functions.process = processes.process AND rank_functions.function = called.function
    UNION ALL
    SELECT process, CAST(NULL AS VARCHAR(255)), outside_s, 0 FROM processes
), ordered AS (
    SELECT
        times.*,
        ROW_NUMBER() OVER (PARTITION BY function ORDER BY time_s DESC, process) AS from_most,
        ROW_NUMBER() OVER (PARTITION BY function ORDER BY time_s, process) AS from_least
    FROM times
)
SELECT
    function,
    COUNT(*) AS processes,
    SUM(time_s) AS time_total_s,
    MAX(time_s) AS max_s,
    MAX(CASE WHEN from_most = 1 THEN process END) AS max_process,
    MIN(time_s) AS min_s,
    MAX(CASE WHEN from_least = 1 THEN process END) AS min_process,
    CAST(SUM(open_calls) AS BIGINT) AS open_calls
FROM ordered
GROUP BY function
