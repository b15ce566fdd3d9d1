-- Who waited for whom: what `overhear waits` adds up.
--
-- In: single_waits. Out: sums by wait state, call site that waited and call site that was late, in nanoseconds. Waits no longer than the
-- clocks' error are neither waits nor none: they are summed by state alone.
SELECT
    state,
    is_resolved,
    CASE WHEN is_resolved THEN process END AS process,
    CASE WHEN is_resolved THEN function END AS function,
    CASE WHEN is_resolved THEN call_site END AS call_site,
    CASE WHEN is_resolved THEN waited_process END AS waited_process,
    CASE WHEN is_resolved THEN waited_function END AS waited_function,
    CASE WHEN is_resolved THEN waited_site END AS waited_site,
    CAST(SUM(wait_ns) AS BIGINT) AS wait_ns,
    CAST(SUM(error_ns) AS BIGINT) AS error_ns,
    COUNT(*) AS waits,
    MAX(wait_ns) AS longest_ns
FROM single_waits
GROUP BY
    state,
    is_resolved,
    CASE WHEN is_resolved THEN process END,
    CASE WHEN is_resolved THEN function END,
    CASE WHEN is_resolved THEN call_site END,
    CASE WHEN is_resolved THEN waited_process END,
    CASE WHEN is_resolved THEN waited_function END,
    CASE WHEN is_resolved THEN waited_site END
