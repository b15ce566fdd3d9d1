-- Each message with the receive that got it, and with the probes that found it.
--
-- In: timed_roles. Out: a row for each send, each receive and each probe: both sides where both are known, else one.
-- MPI keeps order for each (communicator, source, destination, tag): so the k-th message meets the k-th receive. A receive from any
-- source counts where its message came from, which the trace knows. A receive that no call completed holds up those behind it that could
-- have got its message: with MPI_ANY_SOURCE those of all sources, with MPI_ANY_TAG those of all tags.
-- Calls of several threads that overlap reached MPI in an unknown order: these messages are uncertain. Later calls are looked at in falling
-- order, since Spark takes the square of the rows for a frame that ends at the last one.
WITH sends AS (
    SELECT
        communicator,
        process AS from_process,
        peer AS to_process,
        tag,
        partitioned,
        ROW_NUMBER() OVER (PARTITION BY communicator, process, peer, tag, partitioned ORDER BY number) AS k,
        start_ns,
        bytes,
        function,
        call_site,
        selected,
        open,
        done_call,
        done_start_ns,
        done_end_ns,
        done_function,
        done_call_site,
        done_selected,
        NOT partitioned AND (
            COALESCE(MAX(end_ns) OVER (
                PARTITION BY communicator, process, peer, tag, partitioned ORDER BY call
                RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) > start_ns, FALSE)
            OR COALESCE(MIN(start_ns) OVER (
                PARTITION BY communicator, process, peer, tag, partitioned ORDER BY call DESC
                RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) < end_ns, FALSE)
        ) AS uncertain
    FROM timed_roles
    WHERE role = 'send' AND NOT cancelled AND peer IS NOT NULL AND communicator IS NOT NULL AND tag IS NOT NULL
        -- MPI has sent a partitioned message only when its request is complete.
        AND NOT (partitioned AND done_call IS NULL)
), arrivals AS (
    SELECT
        timed_roles.*,
        CASE WHEN role = 'receive' THEN 1 ELSE 0 END AS is_receive,
        role = 'receive' AND done_call IS NULL AS is_pending,
        CASE WHEN role = 'receive' THEN start_ns END AS receive_start_ns,
        CASE WHEN role = 'receive' THEN end_ns END AS receive_end_ns
    FROM timed_roles
    -- A receive whose message is unknown meets none, but the call that completed it waited for that one, too.
    WHERE NOT cancelled AND NOT open AND (role = 'receive' OR (role = 'probe' AND peer IS NOT NULL AND tag IS NOT NULL))
), queued AS (
    SELECT
        communicator,
        peer AS from_process,
        process AS to_process,
        tag,
        partitioned,
        role,
        number,
        call,
        -- A probe finds what the next receive gets.
        SUM(is_receive) OVER (
            PARTITION BY communicator, process, peer, tag, partitioned ORDER BY number
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) + 1 - is_receive AS k,
        SUM(CASE WHEN is_pending THEN 1 ELSE 0 END) OVER (
            PARTITION BY communicator, process, peer, tag, partitioned ORDER BY number
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
        + SUM(CASE WHEN is_pending AND peer IS NULL AND tag IS NOT NULL THEN 1 ELSE 0 END) OVER (
            PARTITION BY communicator, process, tag, partitioned ORDER BY number
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
        + SUM(CASE WHEN is_pending AND peer IS NOT NULL AND tag IS NULL THEN 1 ELSE 0 END) OVER (
            PARTITION BY communicator, process, peer, partitioned ORDER BY number
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
        + SUM(CASE WHEN is_pending AND peer IS NULL AND tag IS NULL THEN 1 ELSE 0 END) OVER (
            PARTITION BY communicator, process, partitioned ORDER BY number
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS pending,
        start_ns,
        bytes,
        function,
        call_site,
        selected,
        done_call,
        done_start_ns,
        done_end_ns,
        done_function,
        done_call_site,
        done_selected,
        COALESCE(MAX(receive_end_ns) OVER (
            PARTITION BY communicator, process, peer, tag, partitioned ORDER BY call
            RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) > start_ns, FALSE)
        OR COALESCE(MIN(receive_start_ns) OVER (
            PARTITION BY communicator, process, peer, tag, partitioned ORDER BY call DESC
            RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) < end_ns, FALSE) AS uncertain
    FROM arrivals
), receives AS (
    SELECT * FROM queued WHERE role = 'receive'
), probes AS (
    SELECT
        queued.*,
        ROW_NUMBER() OVER (
            PARTITION BY communicator, to_process, from_process, tag, partitioned, k ORDER BY number) AS place
    FROM queued
    WHERE role = 'probe'
), paired AS (
    SELECT
        COALESCE(sends.communicator, receives.communicator) AS communicator,
        COALESCE(sends.from_process, receives.from_process) AS from_process,
        COALESCE(sends.to_process, receives.to_process) AS to_process,
        COALESCE(sends.tag, receives.tag) AS tag,
        COALESCE(sends.partitioned, receives.partitioned) AS partitioned,
        COALESCE(sends.k, receives.k) AS k,
        sends.k IS NOT NULL AS is_sent,
        receives.k IS NOT NULL AS is_posted,
        sends.k IS NOT NULL AND receives.k IS NOT NULL AND receives.pending = 0 AS is_matched,
        sends.k IS NOT NULL AND receives.k IS NOT NULL AND receives.pending = 0
            AND (sends.uncertain OR receives.uncertain) AS is_uncertain,
        sends.start_ns AS sent_ns,
        sends.bytes AS sent_bytes,
        sends.function AS sent_by,
        sends.call_site AS sent_at,
        sends.selected AS sent_selected,
        sends.open AS sent_open,
        sends.done_call AS sent_done_call,
        sends.done_start_ns AS sent_done_start_ns,
        sends.done_end_ns AS sent_done_end_ns,
        sends.done_function AS sent_done_by,
        sends.done_call_site AS sent_done_at,
        sends.done_selected AS sent_done_selected,
        receives.start_ns AS posted_ns,
        receives.bytes AS received_bytes,
        receives.function AS posted_by,
        receives.call_site AS posted_at,
        receives.selected AS posted_selected,
        receives.done_call AS received_call,
        receives.done_start_ns AS received_start_ns,
        receives.done_end_ns AS received_end_ns,
        receives.done_function AS received_by,
        receives.done_call_site AS received_at,
        receives.done_selected AS received_selected
    FROM sends
    FULL OUTER JOIN receives
        ON receives.communicator = sends.communicator
        AND receives.from_process = sends.from_process
        AND receives.to_process = sends.to_process
        AND receives.tag = sends.tag
        AND receives.partitioned = sends.partitioned
        AND receives.k = sends.k
)
SELECT
    paired.*,
    -- A message that several probes found has a row for each; the first stands for the message itself.
    COALESCE(probes.place, 1) = 1 AS is_first,
    probes.call AS probe_call,
    probes.start_ns AS probe_start_ns,
    probes.done_end_ns AS probe_end_ns,
    probes.function AS probe_by,
    probes.call_site AS probe_at,
    probes.selected AS probe_selected
FROM paired
LEFT JOIN probes
    ON probes.communicator = paired.communicator
    AND probes.from_process = paired.from_process
    AND probes.to_process = paired.to_process
    AND probes.tag = paired.tag
    AND probes.partitioned = paired.partitioned
    AND probes.k = paired.k
