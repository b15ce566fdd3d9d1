-- The roles of all ranks with their times on one clock.
--
-- In: roles, clock_lines. Out: roles with times in whole nanoseconds since the first rank entered MPI_Init, and with each process as one
-- number, world * 2^32 + rank, which sorts as reports do.
-- A rank's line is straight between its two knots and beyond them; a time is rounded to the nearest nanosecond, halves away from zero.
WITH lines AS (
    SELECT
        CAST(world AS BIGINT) * 4294967296 + COALESCE(CAST(rank AS BIGINT), 4294967295) AS process,
        CAST(knot_ticks AS BIGINT) AS knot,
        knot_nanoseconds AS knot_ns,
        CAST(span_ticks AS BIGINT) AS span,
        nanoseconds_per_tick AS rate,
        nanoseconds_per_tick_beyond AS rate_beyond
    FROM clock_lines
), numbered AS (
    SELECT
        CAST(world AS BIGINT) * 4294967296 + COALESCE(CAST(rank AS BIGINT), 4294967295) AS process,
        CAST(peer_world AS BIGINT) * 4294967296 + CAST(peer_rank AS BIGINT) AS peer,
        peer_unrecorded,
        role,
        flow,
        CAST(number AS BIGINT) AS number,
        CAST(call AS BIGINT) AS call,
        CAST(thread AS BIGINT) AS thread,
        function,
        call_site,
        CAST(communicator AS BIGINT) AS communicator,
        tag,
        partitioned,
        operation,
        CAST(ordinal AS BIGINT) AS ordinal,
        CAST(start_number AS BIGINT) AS start_number,
        root,
        CAST(bytes AS BIGINT) AS bytes,
        CAST(start_ticks AS BIGINT) AS start_ticks,
        CAST(end_ticks AS BIGINT) AS end_ticks,
        has_request,
        CAST(done_call AS BIGINT) AS done_call,
        done_function,
        done_call_site,
        CAST(done_start_ticks AS BIGINT) AS done_start_ticks,
        CAST(done_end_ticks AS BIGINT) AS done_end_ticks,
        cancelled,
        open,
        selected,
        done_selected
    FROM roles
), since AS (
    SELECT
        numbered.*,
        lines.knot_ns,
        lines.span,
        lines.rate,
        lines.rate_beyond,
        numbered.start_ticks - lines.knot AS start_since,
        numbered.end_ticks - lines.knot AS end_since,
        numbered.done_start_ticks - lines.knot AS done_start_since,
        numbered.done_end_ticks - lines.knot AS done_end_since
    FROM numbered
    JOIN lines ON lines.process = numbered.process
), inside AS (
    SELECT
        since.*,
        LEAST(GREATEST(start_since, 0), span) AS start_inside,
        LEAST(GREATEST(end_since, 0), span) AS end_inside,
        CASE WHEN done_call IS NOT NULL THEN LEAST(GREATEST(done_start_since, 0), span) END AS done_start_inside,
        CASE WHEN done_call IS NOT NULL THEN LEAST(GREATEST(done_end_since, 0), span) END AS done_end_inside
    FROM since
), exact AS (
    SELECT
        inside.*,
        knot_ns + CAST(start_inside AS DOUBLE) * rate + CAST(start_since - start_inside AS DOUBLE) * rate_beyond AS start_exact,
        knot_ns + CAST(end_inside AS DOUBLE) * rate + CAST(end_since - end_inside AS DOUBLE) * rate_beyond AS end_exact,
        knot_ns + CAST(done_start_inside AS DOUBLE) * rate
            + CAST(done_start_since - done_start_inside AS DOUBLE) * rate_beyond AS done_start_exact,
        knot_ns + CAST(done_end_inside AS DOUBLE) * rate
            + CAST(done_end_since - done_end_inside AS DOUBLE) * rate_beyond AS done_end_exact
    FROM inside
)
SELECT
    process,
    peer,
    peer_unrecorded,
    role,
    flow,
    number,
    call,
    thread,
    function,
    call_site,
    communicator,
    tag,
    partitioned,
    operation,
    ordinal,
    start_number,
    root,
    bytes,
    has_request,
    done_call,
    done_function,
    done_call_site,
    cancelled,
    open,
    selected,
    done_selected,
    CAST(CASE WHEN start_exact < 0 THEN CEIL(start_exact - 5E-1) ELSE FLOOR(start_exact + 5E-1) END AS BIGINT) AS start_ns,
    CAST(CASE WHEN end_exact < 0 THEN CEIL(end_exact - 5E-1) ELSE FLOOR(end_exact + 5E-1) END AS BIGINT) AS end_ns,
    CAST(CASE WHEN done_start_exact < 0 THEN CEIL(done_start_exact - 5E-1) ELSE FLOOR(done_start_exact + 5E-1) END AS BIGINT)
        AS done_start_ns,
    CAST(CASE WHEN done_end_exact < 0 THEN CEIL(done_end_exact - 5E-1) ELSE FLOOR(done_end_exact + 5E-1) END AS BIGINT)
        AS done_end_ns
FROM exact
