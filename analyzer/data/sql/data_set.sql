-- What the data set is of: to refuse one that lacks ranks, holds two runs, or was written by another version, before anything is computed.
--
-- In: ranks. Out: one row for each run, version and world, with the ranks that are there.
SELECT
    CAST(data_set_version AS BIGINT) AS version,
    run,
    CAST(world AS BIGINT) AS world,
    MAX(CAST(size AS BIGINT)) AS size,
    COUNT(*) AS processes,
    COUNT(DISTINCT CAST(rank AS BIGINT)) AS ranks,
    MIN(CAST(rank AS BIGINT)) AS first_rank,
    MAX(CAST(rank AS BIGINT)) AS last_rank,
    MIN(program) AS program,
    MIN(mpi) AS mpi,
    COUNT(DISTINCT host) AS hosts,
    MAX(wall_s) AS wall_max_s,
    SUM(wall_s) AS wall_total_s,
    MIN(in_mpi_s) AS in_mpi_min_s,
    SUM(in_mpi_s) AS in_mpi_total_s,
    MAX(in_mpi_s) AS in_mpi_max_s,
    CAST(SUM(CASE WHEN profile THEN 1 ELSE 0 END) AS BIGINT) AS profiles
FROM ranks
GROUP BY CAST(data_set_version AS BIGINT), run, CAST(world AS BIGINT)
