-- The number of URLs that link or redirect to this one, counted by the last pass; NULL before the first. A pass writes
-- it in the row that it writes for the rank, so a first pass costs no more than before.
ALTER TABLE urls ADD COLUMN in_links INTEGER;
