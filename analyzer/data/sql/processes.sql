-- The processes of the data set, by world and rank.
--
-- In: ranks. Out: a row for each.
SELECT DISTINCT CAST(world AS BIGINT) * 4294967296 + COALESCE(CAST(rank AS BIGINT), 4294967295) AS process FROM ranks
