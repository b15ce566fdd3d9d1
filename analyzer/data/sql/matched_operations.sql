-- Each rank's part in each collective operation, with the rank that it waited for.
--
-- In: timed_roles, communicators, neighbors. Out: a row for each part. is_matched says that all processes of the communicator took part;
-- is_confused, that ranks called different functions there or before, so that nobody knows which calls belong together.
-- The ordinal of a call among the rank's collective calls on a communicator says which operation it is of. Whom a part waits for depends on
-- its flow: the last rank of all, the root, the last of the lower ranks, or the last neighbor it receives from. waited_ns is when that one came.
-- hands_over is true of the root of a broadcast and of all but the root of a reduction, which only send.
WITH sizes AS (
    SELECT CAST(communicator AS BIGINT) AS communicator, MAX(CAST(size AS BIGINT)) AS size
    FROM communicators
    WHERE communicator IS NOT NULL
    GROUP BY CAST(communicator AS BIGINT)
), places AS (
    SELECT
        CAST(world AS BIGINT) * 4294967296 + COALESCE(CAST(rank AS BIGINT), 4294967295) AS process,
        CAST(communicator AS BIGINT) AS communicator,
        MAX(CAST(own_rank AS BIGINT)) AS place
    FROM communicators
    WHERE communicator IS NOT NULL
    GROUP BY CAST(world AS BIGINT) * 4294967296 + COALESCE(CAST(rank AS BIGINT), 4294967295), CAST(communicator AS BIGINT)
), sources AS (
    SELECT
        CAST(world AS BIGINT) * 4294967296 + COALESCE(CAST(rank AS BIGINT), 4294967295) AS process,
        CAST(communicator AS BIGINT) AS communicator,
        CAST(own AS BIGINT) AS own,
        CAST(source AS BIGINT) AS source
    FROM neighbors
), owners AS (
    SELECT DISTINCT communicator, own, process FROM sources
), confusions AS (
    SELECT communicator, MIN(ordinal) AS confused_from
    FROM (
        SELECT communicator, ordinal
        FROM timed_roles
        WHERE role = 'collective' AND ordinal > 0
        GROUP BY communicator, ordinal, start_number
        HAVING MIN(operation) <> MAX(operation)
    ) differing
    GROUP BY communicator
), ordered AS (
    SELECT
        timed_roles.*,
        (flow = 'from root' AND root) OR (flow = 'to root' AND NOT root) AS hands_over,
        COUNT(*) OVER (PARTITION BY communicator, ordinal, start_number) AS came,
        ROW_NUMBER() OVER (PARTITION BY communicator, ordinal, start_number ORDER BY start_ns DESC, process DESC) AS from_last,
        MIN(CASE WHEN NOT has_request AND NOT open THEN end_ns END) OVER (PARTITION BY communicator, ordinal, start_number)
            AS first_end_ns,
        MAX(CASE WHEN root THEN start_ns END) OVER (PARTITION BY communicator, ordinal, start_number) AS root_ns,
        MAX(CASE WHEN root THEN process END) OVER (PARTITION BY communicator, ordinal, start_number) AS root_process,
        MAX(CASE WHEN root THEN function END) OVER (PARTITION BY communicator, ordinal, start_number) AS root_function,
        MAX(CASE WHEN root THEN call_site END) OVER (PARTITION BY communicator, ordinal, start_number) AS root_site
    FROM timed_roles
    WHERE role = 'collective'
), lasts AS (
    SELECT
        ordered.*,
        MAX(CASE WHEN from_last = 1 THEN start_ns END) OVER (PARTITION BY communicator, ordinal, start_number) AS last_ns,
        MAX(CASE WHEN from_last = 1 THEN process END) OVER (PARTITION BY communicator, ordinal, start_number) AS last_process,
        MAX(CASE WHEN from_last = 1 THEN function END) OVER (PARTITION BY communicator, ordinal, start_number) AS last_function,
        MAX(CASE WHEN from_last = 1 THEN call_site END) OVER (PARTITION BY communicator, ordinal, start_number) AS last_site
    FROM ordered
), scans AS (
    -- Of the ranks up to each one, a part that came last until then is a record.
    SELECT
        timed_roles.communicator,
        timed_roles.ordinal,
        timed_roles.start_number,
        timed_roles.process,
        timed_roles.function,
        timed_roles.call_site,
        timed_roles.start_ns,
        places.place,
        CASE WHEN timed_roles.start_ns >= COALESCE(MAX(timed_roles.start_ns) OVER (
            PARTITION BY timed_roles.communicator, timed_roles.ordinal, timed_roles.start_number ORDER BY places.place
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), timed_roles.start_ns) THEN 1 ELSE 0 END AS is_record
    FROM timed_roles
    JOIN places ON places.process = timed_roles.process AND places.communicator = timed_roles.communicator
    WHERE timed_roles.role = 'collective' AND timed_roles.flow = 'prefix'
), records AS (
    SELECT
        scans.*,
        SUM(is_record) OVER (
            PARTITION BY communicator, ordinal, start_number ORDER BY place
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS record
    FROM scans
), latest AS (
    SELECT
        records.*,
        MAX(CASE WHEN is_record = 1 THEN start_ns END) OVER (PARTITION BY communicator, ordinal, start_number, record) AS latest_ns,
        MAX(CASE WHEN is_record = 1 THEN process END) OVER (PARTITION BY communicator, ordinal, start_number, record)
            AS latest_process,
        MAX(CASE WHEN is_record = 1 THEN function END) OVER (PARTITION BY communicator, ordinal, start_number, record)
            AS latest_function,
        MAX(CASE WHEN is_record = 1 THEN call_site END) OVER (PARTITION BY communicator, ordinal, start_number, record)
            AS latest_site
    FROM records
), near AS (
    SELECT
        part.communicator,
        part.ordinal,
        part.start_number,
        part.process,
        other.start_ns,
        other.process AS other,
        other.function,
        other.call_site,
        ROW_NUMBER() OVER (
            PARTITION BY part.communicator, part.ordinal, part.start_number, part.process
            ORDER BY other.start_ns DESC, other.process DESC) AS choice
    FROM timed_roles part
    JOIN sources ON sources.communicator = part.communicator AND sources.process = part.process
    JOIN owners ON owners.communicator = sources.communicator AND owners.own = sources.source
    JOIN timed_roles other
        ON other.communicator = part.communicator
        AND other.ordinal = part.ordinal
        AND other.start_number = part.start_number
        AND other.process = owners.process
    WHERE part.role = 'collective' AND part.flow = 'neighbors' AND other.role = 'collective' AND other.flow = 'neighbors'
), chosen AS (
    SELECT
        communicator,
        ordinal,
        start_number,
        process,
        LAG(latest_ns) OVER (PARTITION BY communicator, ordinal, start_number ORDER BY place) AS start_ns,
        LAG(latest_process) OVER (PARTITION BY communicator, ordinal, start_number ORDER BY place) AS other,
        LAG(latest_function) OVER (PARTITION BY communicator, ordinal, start_number ORDER BY place) AS function,
        LAG(latest_site) OVER (PARTITION BY communicator, ordinal, start_number ORDER BY place) AS call_site
    FROM latest
    UNION ALL
    SELECT communicator, ordinal, start_number, process, start_ns, other, function, call_site FROM near WHERE choice = 1
)
SELECT
    lasts.*,
    COALESCE(lasts.came = sizes.size AND (confusions.confused_from IS NULL OR lasts.ordinal < confusions.confused_from), FALSE)
        AS is_matched,
    COALESCE(lasts.ordinal >= confusions.confused_from, FALSE) AS is_confused,
    CASE
        -- A part that hands its data over waits if it lasts until the last rank comes, and that one takes the data; libraries store 4 KiB.
        WHEN lasts.hands_over AND (lasts.has_request OR lasts.bytes <= 4096 OR lasts.end_ns < lasts.last_ns
            OR (lasts.flow = 'to root' AND lasts.last_process <> lasts.root_process)) THEN NULL
        WHEN lasts.flow = 'from root' AND NOT lasts.root THEN lasts.root_ns
        WHEN lasts.flow IN ('prefix', 'neighbors') THEN chosen.start_ns
        ELSE lasts.last_ns
    END AS waited_ns,
    CASE
        WHEN lasts.flow = 'from root' AND NOT lasts.root THEN lasts.root_process
        WHEN lasts.flow IN ('prefix', 'neighbors') THEN chosen.other
        ELSE lasts.last_process
    END AS waited_process,
    CASE
        WHEN lasts.flow = 'from root' AND NOT lasts.root THEN lasts.root_function
        WHEN lasts.flow IN ('prefix', 'neighbors') THEN chosen.function
        ELSE lasts.last_function
    END AS waited_function,
    CASE
        WHEN lasts.flow = 'from root' AND NOT lasts.root THEN lasts.root_site
        WHEN lasts.flow IN ('prefix', 'neighbors') THEN chosen.call_site
        ELSE lasts.last_site
    END AS waited_site
FROM lasts
LEFT JOIN sizes ON sizes.communicator = lasts.communicator
LEFT JOIN confusions ON confusions.communicator = lasts.communicator
LEFT JOIN chosen
    ON chosen.communicator = lasts.communicator
    AND chosen.ordinal = lasts.ordinal
    AND chosen.start_number = lasts.start_number
    AND chosen.process = lasts.process
