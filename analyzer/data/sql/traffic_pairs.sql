-- Who sent how much to whom: `overhear matrix`.
--
-- In: traffic, communicators. Out: a row for each pair of ranks with traffic, and one without ranks for each kind of traffic that has no pair.
-- What a rank hands to each other process of a communicator lies in the data set once, and meets the communicator's processes here.
WITH members AS (
    SELECT DISTINCT
        CAST(communicator AS BIGINT) AS communicator,
        CAST(world AS BIGINT) * 4294967296 + CAST(rank AS BIGINT) AS process
    FROM communicators
    WHERE communicator IS NOT NULL AND rank IS NOT NULL
), given AS (
    SELECT
        ends,
        CAST(from_world AS BIGINT) * 4294967296 + CAST(from_rank AS BIGINT) AS from_process,
        CAST(to_world AS BIGINT) * 4294967296 + CAST(to_rank AS BIGINT) AS to_process,
        CAST(messages AS BIGINT) AS messages,
        CAST(bytes AS BIGINT) AS bytes,
        CAST(collective_bytes AS BIGINT) AS collective_bytes
    FROM traffic
    WHERE ends <> 'each'
    UNION ALL
    SELECT
        'pair',
        CAST(traffic.world AS BIGINT) * 4294967296 + CAST(traffic.rank AS BIGINT),
        members.process,
        0,
        0,
        CAST(traffic.collective_bytes AS BIGINT)
    FROM traffic
    JOIN members ON members.communicator = CAST(traffic.communicator AS BIGINT)
    WHERE traffic.ends = 'each'
        AND members.process <> CAST(traffic.world AS BIGINT) * 4294967296 + CAST(traffic.rank AS BIGINT)
)
SELECT
    ends,
    from_process,
    to_process,
    CAST(SUM(messages) AS BIGINT) AS messages,
    CAST(SUM(bytes) AS BIGINT) AS bytes,
    CAST(SUM(collective_bytes) AS BIGINT) AS collective_bytes
FROM given
GROUP BY ends, from_process, to_process
