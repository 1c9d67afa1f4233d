-- Milliseconds from the request to the last byte of the last answer; NULL where nothing was fetched. It stands in a row that is written anyway.
ALTER TABLE urls ADD COLUMN duration_ms INTEGER;

-- Since when the crawl is paused, or had ended, and how long it was before: it is left out of the elapsed time.
ALTER TABLE crawls ADD COLUMN paused_at INTEGER;
ALTER TABLE crawls ADD COLUMN paused_ms INTEGER NOT NULL DEFAULT 0;

-- Seconds before the start of each crawl: pages that have not changed since are not stored. NULL: the crawl's own option decides.
ALTER TABLE schedules ADD COLUMN modified_within_s INTEGER;
