-- Ranks of the launched world that the data set lacks.
--
-- In: ranks. Out: a row for each run of ranks that are not there: the first and the last of them.
WITH present AS (
    SELECT DISTINCT CAST(rank AS BIGINT) AS rank FROM ranks WHERE rank IS NOT NULL AND world = 0
    UNION
    SELECT -1 AS rank
    UNION
    SELECT MAX(CAST(size AS BIGINT)) AS rank FROM ranks WHERE world = 0
), followed AS (
    SELECT rank, LEAD(rank) OVER (ORDER BY rank) AS next_rank FROM present WHERE rank IS NOT NULL
)
SELECT rank + 1 AS first_rank, next_rank - 1 AS last_rank
FROM followed
WHERE next_rank > rank + 1
ORDER BY rank
