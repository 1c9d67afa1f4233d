-- How often batches with a URL failed in a row, for as long as it has a due time. Written together with `due_at`.
ALTER TABLE urls ADD COLUMN failures INTEGER;
ALTER TABLE sitemaps ADD COLUMN failures INTEGER;
