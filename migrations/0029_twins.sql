-- What is kept of a page's main text, so that near duplicates are found without reading it again. The commit writes
-- both columns with the row, and no index has them: they cost nothing.
-- SimHash, 64 bits as 16 hex digits, because D1's numbers are doubles; NULL if no text was made of the page.
ALTER TABLE urls ADD COLUMN fingerprint TEXT;
-- Words of the main text; NULL if no text was made of the page.
ALTER TABLE urls ADD COLUMN words INTEGER;
-- The page that has the same text or almost the same, and stands for both; NULL if it has none. A pass writes it with
-- the rank, and only where it changed.
ALTER TABLE urls ADD COLUMN twin_of TEXT;
