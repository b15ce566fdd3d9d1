-- Tables that lack a process which ranks has: its file is lost, or the export was cut short.
--
-- In: ranks, roles, clock_lines, signatures. Out: a row for each such table, with one of the processes and their number.
WITH processes AS (
    SELECT
        CAST(world AS BIGINT) * 4294967296 + COALESCE(CAST(rank AS BIGINT), 4294967295) AS process,
        CAST(SUM(CAST(calls AS BIGINT)) AS BIGINT) AS calls
    FROM ranks
    GROUP BY CAST(world AS BIGINT) * 4294967296 + COALESCE(CAST(rank AS BIGINT), 4294967295)
), recorded AS (
    SELECT DISTINCT CAST(world AS BIGINT) * 4294967296 + COALESCE(CAST(rank AS BIGINT), 4294967295) AS process
    FROM roles
    WHERE role = 'recorded'
), timed AS (
    SELECT DISTINCT CAST(world AS BIGINT) * 4294967296 + COALESCE(CAST(rank AS BIGINT), 4294967295) AS process
    FROM clock_lines
), counted AS (
    SELECT
        CAST(world AS BIGINT) * 4294967296 + COALESCE(CAST(rank AS BIGINT), 4294967295) AS process,
        CAST(SUM(CASE WHEN nested THEN 0 ELSE CAST(calls AS BIGINT) END) AS BIGINT) AS calls
    FROM signatures
    GROUP BY CAST(world AS BIGINT) * 4294967296 + COALESCE(CAST(rank AS BIGINT), 4294967295)
), lacking AS (
    SELECT 'roles' AS name, processes.process
    FROM processes
    LEFT JOIN recorded ON recorded.process = processes.process
    WHERE recorded.process IS NULL
    UNION ALL
    SELECT 'clock_lines', processes.process
    FROM processes
    LEFT JOIN timed ON timed.process = processes.process
    WHERE timed.process IS NULL
    UNION ALL
    SELECT 'signatures', processes.process
    FROM processes
    LEFT JOIN counted ON counted.process = processes.process
    WHERE COALESCE(counted.calls, 0) <> processes.calls
)
SELECT name, MIN(process) AS process, COUNT(*) AS processes FROM lacking GROUP BY name ORDER BY name
