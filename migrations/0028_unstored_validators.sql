-- 1 if the validators of the row are those of an answer that was not stored, because it said the same in other bytes:
-- then a 304 says nothing of the stored answer. An unchanged visit still writes one row: the column has no index.
ALTER TABLE urls ADD COLUMN validators_unstored INTEGER;
