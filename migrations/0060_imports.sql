-- Of a crawl whose answers come from an archive (`purpose` is 'import'), as JSON: the name of the archive, how many
-- answers are to come, and what was left out of it by reason. NULL for all others. It costs no row and no index.
ALTER TABLE crawls ADD COLUMN imported TEXT;
