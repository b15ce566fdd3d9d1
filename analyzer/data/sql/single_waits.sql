-- Each time that a rank waited in a call for another rank.
--
-- In: matched_messages, matched_operations, clock_lines, ranks. Out: a row for each wait, with its error; is_resolved says that it is longer.
-- A call waits until the latest event that it needs: the begin of a send that it receives from, the begin of the receive of a message it
-- sends, the last rank of a collective operation. If one of these is unknown, nothing is said of the call. States have Scalasca's names.
WITH lines AS (
    SELECT
        CAST(world AS BIGINT) * 4294967296 + COALESCE(CAST(rank AS BIGINT), 4294967295) AS process,
        knot_nanoseconds AS knot_ns,
        CAST(span_ticks AS DOUBLE) * nanoseconds_per_tick AS length,
        error_nanoseconds_at_knot AS at_knot,
        error_nanoseconds_at_end AS at_end,
        error_growth AS growth
    FROM clock_lines
), threaded AS (
    SELECT DISTINCT CAST(world AS BIGINT) * 4294967296 + COALESCE(CAST(rank AS BIGINT), 4294967295) AS process
    FROM ranks
    WHERE CAST(threads AS BIGINT) > 1
), sides AS (
    SELECT 1 AS side
    UNION ALL
    SELECT 2 AS side
    UNION ALL
    SELECT 3 AS side
), needed AS (
    -- What each call needs of another rank. Of a kind, rows with the same process and call belong together:
    -- 1 a call that completed receives (side 1), sends (side 2) or nonblocking collective operations; 2 a probe;
    -- 3 a collective operation until the rank that it waits for came; 4 a collective operation from when the first rank left it.
    SELECT
        CASE WHEN side = 3 THEN 2 ELSE 1 END AS kind,
        CASE WHEN side = 2 THEN from_process ELSE to_process END AS process,
        CASE WHEN side = 1 THEN received_call WHEN side = 2 THEN sent_done_call ELSE probe_call END AS call,
        CASE WHEN side = 1 THEN received_start_ns WHEN side = 2 THEN sent_done_start_ns ELSE probe_start_ns END AS start_ns,
        CASE WHEN side = 1 THEN received_start_ns WHEN side = 2 THEN sent_done_start_ns ELSE probe_start_ns END AS from_ns,
        CASE WHEN side = 1 THEN received_end_ns WHEN side = 2 THEN sent_done_end_ns ELSE probe_end_ns END AS end_ns,
        CASE WHEN side = 1 THEN received_by WHEN side = 2 THEN sent_done_by ELSE probe_by END AS function,
        CASE WHEN side = 1 THEN received_at WHEN side = 2 THEN sent_done_at ELSE probe_at END AS call_site,
        CASE WHEN side = 1 THEN received_selected WHEN side = 2 THEN sent_done_selected ELSE probe_selected END AS selected,
        is_matched AS is_known,
        CASE WHEN is_matched AND NOT is_uncertain THEN
            CASE WHEN side <> 2 THEN sent_ns WHEN posted_ns > sent_ns THEN posted_ns END END AS waited_ns,
        CASE WHEN side = 2 THEN to_process ELSE from_process END AS waited_process,
        CASE WHEN side = 2 THEN posted_by ELSE sent_by END AS waited_function,
        CASE WHEN side = 2 THEN posted_at ELSE sent_at END AS waited_site,
        CASE WHEN side = 2 THEN 'late_receiver' ELSE 'late_sender' END AS state,
        CASE WHEN side = 2 THEN 2 ELSE 0 END AS state_order,
        CASE WHEN side = 1 THEN 1 ELSE 0 END AS is_receive,
        CASE WHEN side = 1 AND is_matched AND NOT is_uncertain THEN sent_ns END AS message_ns,
        CASE WHEN side = 1 THEN from_process END AS message_from
    FROM matched_messages
    CROSS JOIN sides
    WHERE (side = 1 AND is_first AND received_call IS NOT NULL)
        OR (side = 2 AND is_first AND sent_done_call IS NOT NULL)
        OR (side = 3 AND is_matched AND NOT is_uncertain AND probe_call IS NOT NULL)
    UNION ALL
    SELECT
        CASE WHEN side = 1 THEN 1 ELSE side + 1 END,
        process,
        CASE WHEN side = 1 THEN done_call ELSE call END,
        CASE WHEN side = 1 THEN done_start_ns ELSE start_ns END,
        CASE WHEN side = 1 THEN done_start_ns WHEN side = 2 THEN start_ns ELSE GREATEST(first_end_ns, start_ns) END,
        CASE WHEN side = 1 THEN done_end_ns ELSE end_ns END,
        CASE WHEN side = 1 THEN done_function ELSE function END,
        CASE WHEN side = 1 THEN done_call_site ELSE call_site END,
        CASE WHEN side = 1 THEN done_selected ELSE selected END,
        is_matched OR is_confused,
        CASE WHEN side = 3 THEN end_ns WHEN is_matched AND waited_ns > start_ns THEN waited_ns END,
        CASE WHEN side = 3 THEN process ELSE waited_process END,
        CASE WHEN side = 3 THEN function ELSE waited_function END,
        CASE WHEN side = 3 THEN call_site ELSE waited_site END,
        CASE
            WHEN side = 3 THEN CASE WHEN flow = 'barrier' THEN 'barrier_completion' ELSE 'nxn_completion' END
            WHEN flow = 'barrier' THEN 'wait_at_barrier'
            WHEN flow = 'all' THEN 'wait_at_nxn'
            WHEN hands_over THEN 'wait_to_hand_over'
            WHEN flow = 'from root' THEN 'late_broadcast'
            WHEN flow = 'to root' THEN 'early_reduce'
            WHEN flow = 'prefix' THEN 'early_scan'
            WHEN flow = 'fence' THEN 'wait_at_fence'
            WHEN flow = 'create' THEN 'wait_at_create'
            ELSE 'wait_at_neighbors'
        END,
        -- Of causes at one moment by one rank, the first state in the order of `overhear explain` stands for all.
        CASE
            WHEN flow = 'barrier' THEN 3
            WHEN flow = 'all' THEN 5
            WHEN hands_over THEN 9
            WHEN flow = 'from root' THEN 7
            WHEN flow = 'to root' THEN 8
            WHEN flow = 'prefix' THEN 10
            WHEN flow = 'fence' THEN 11
            WHEN flow = 'create' THEN 12
            ELSE 16
        END,
        0,
        CAST(NULL AS BIGINT),
        CAST(NULL AS BIGINT)
    FROM matched_operations
    CROSS JOIN sides
    WHERE (side = 1 AND has_request AND done_call IS NOT NULL)
        OR (side = 2 AND is_matched AND NOT has_request AND waited_ns > start_ns)
        OR (side = 3 AND is_matched AND NOT has_request AND flow IN ('barrier', 'all') AND first_end_ns IS NOT NULL)
), plausible AS (
    SELECT
        needed.*,
        -- A send that was over before its receive was posted did not wait for it.
        CASE WHEN waited_ns IS NULL OR (state = 'late_receiver' AND waited_ns >= end_ns) THEN 0 ELSE 1 END AS is_plausible
    FROM needed
), ordered AS (
    SELECT
        plausible.*,
        MIN(CASE WHEN is_known THEN 1 ELSE 0 END) OVER (PARTITION BY process, kind, call) AS all_known,
        MAX(is_receive) OVER (PARTITION BY process, kind, call) AS receives,
        ROW_NUMBER() OVER (
            PARTITION BY process, kind, call
            ORDER BY is_plausible DESC, waited_ns DESC, waited_process DESC, waited_function DESC, waited_site DESC, state_order)
            AS choice,
        ROW_NUMBER() OVER (
            PARTITION BY process, kind, call
            ORDER BY CASE WHEN message_ns IS NULL THEN 1 ELSE 0 END, message_ns, message_from) AS from_earliest
    FROM plausible
), earliest AS (
    SELECT
        ordered.*,
        MAX(CASE WHEN from_earliest = 1 THEN message_ns END) OVER (PARTITION BY process, kind, call) AS earliest_ns,
        MAX(CASE WHEN from_earliest = 1 AND message_ns IS NOT NULL THEN message_from END) OVER (PARTITION BY process, kind, call)
            AS earliest_from
    FROM ordered
), found AS (
    SELECT
        kind, process, call, start_ns, from_ns, end_ns, function, call_site, selected, waited_process, waited_function,
        waited_site, state, receives, earliest_ns, earliest_from,
        CASE WHEN kind = 4 THEN end_ns ELSE start_ns END AS at_ns,
        CASE WHEN is_plausible = 1 AND waited_ns > from_ns THEN LEAST(waited_ns, end_ns) - from_ns END AS wait_ns
    FROM earliest
    WHERE choice = 1 AND all_known = 1
), since AS (
    SELECT
        found.*,
        own.at_knot AS own_at_knot,
        own.at_end AS own_at_end,
        own.growth AS own_growth,
        own.length AS own_length,
        other.at_knot AS other_at_knot,
        other.at_end AS other_at_end,
        other.growth AS other_growth,
        other.length AS other_length,
        sender.at_knot AS sender_at_knot,
        sender.at_end AS sender_at_end,
        sender.growth AS sender_growth,
        sender.length AS sender_length,
        at_ns - own.knot_ns AS own_since,
        at_ns - other.knot_ns AS other_since,
        earliest_ns - own.knot_ns AS earliest_since,
        earliest_ns - sender.knot_ns AS sender_since
    FROM found
    JOIN lines own ON own.process = found.process
    LEFT JOIN lines other ON other.process = found.waited_process
    LEFT JOIN lines sender ON sender.process = found.earliest_from
), inside AS (
    SELECT
        since.*,
        LEAST(GREATEST(own_since, 0E0), own_length) AS own_inside,
        CASE WHEN other_since IS NOT NULL THEN LEAST(GREATEST(other_since, 0E0), other_length) END AS other_inside,
        CASE WHEN earliest_since IS NOT NULL THEN LEAST(GREATEST(earliest_since, 0E0), own_length) END AS earliest_inside,
        CASE WHEN sender_since IS NOT NULL THEN LEAST(GREATEST(sender_since, 0E0), sender_length) END AS sender_inside
    FROM since
), shares AS (
    SELECT
        inside.*,
        CASE WHEN own_length > 0 THEN own_inside / own_length ELSE 0E0 END AS own_share,
        CASE WHEN other_length > 0 THEN other_inside / other_length ELSE 0E0 END AS other_share,
        CASE WHEN own_length > 0 THEN earliest_inside / own_length ELSE 0E0 END AS earliest_share,
        CASE WHEN sender_length > 0 THEN sender_inside / sender_length ELSE 0E0 END AS sender_share
    FROM inside
), clock_errors AS (
    SELECT
        shares.*,
        CAST(CEIL(own_at_knot * (1E0 - own_share) + own_at_end * own_share + ABS(own_since - own_inside) * own_growth) AS BIGINT)
            AS own_error_ns,
        CAST(CEIL(other_at_knot * (1E0 - other_share) + other_at_end * other_share
            + ABS(other_since - other_inside) * other_growth) AS BIGINT) AS other_error_ns,
        CAST(CEIL(own_at_knot * (1E0 - earliest_share) + own_at_end * earliest_share
            + ABS(earliest_since - earliest_inside) * own_growth) AS BIGINT) AS earliest_error_ns,
        CAST(CEIL(sender_at_knot * (1E0 - sender_share) + sender_at_end * sender_share
            + ABS(sender_since - sender_inside) * sender_growth) AS BIGINT) AS sender_error_ns
    FROM shares
), errors AS (
    SELECT
        kind, process, call, start_ns, from_ns, function, call_site, selected, waited_process, waited_function, waited_site,
        state, receives, wait_ns,
        CASE
            -- A wait for no single rank has the error of its own clock.
            WHEN kind = 4 THEN own_error_ns
            WHEN waited_process = process THEN 0
            ELSE own_error_ns + other_error_ns
        END AS error_ns,
        -- Its earliest message was sent by then for certain.
        earliest_ns + CASE WHEN earliest_from = process THEN 0 ELSE earliest_error_ns + sender_error_ns END AS surely_sent_ns
    FROM clock_errors
), late AS (
    SELECT
        errors.*,
        CASE WHEN kind = 1 AND receives = 1 AND state = 'late_sender' AND wait_ns > error_ns THEN 1 ELSE 0 END AS is_late
    FROM errors
), counted AS (
    SELECT
        late.*,
        COALESCE(SUM(is_late) OVER (
            PARTITION BY process, kind ORDER BY call ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS late_before
    FROM late
), judged AS (
    -- A late sender is one in the wrong order if another message was there already that the rank received only later. It is looked
    -- for until 64 more senders were late. Calls of several threads overlap, so that later ones prove nothing: all stay late senders.
    SELECT
        counted.*,
        is_late = 1 AND COALESCE(MIN(surely_sent_ns) OVER (
            PARTITION BY process, kind ORDER BY late_before RANGE BETWEEN 1 FOLLOWING AND 64 FOLLOWING) < start_ns, FALSE)
            AS is_wrong_order
    FROM counted
)
SELECT
    CASE WHEN is_wrong_order AND threaded.process IS NULL THEN 'wrong_order' ELSE state END AS state,
    judged.process,
    function,
    call_site,
    waited_process,
    waited_function,
    waited_site,
    start_ns AS call_ns,
    from_ns,
    wait_ns,
    error_ns,
    wait_ns > error_ns AS is_resolved
FROM judged
LEFT JOIN threaded ON threaded.process = judged.process
WHERE wait_ns > 0 AND selected
