-- What the last batch of a crawl that failed could not do, for people; and what the last heartbeat did.
ALTER TABLE crawls ADD COLUMN last_failure TEXT;
ALTER TABLE crawls ADD COLUMN failed_at INTEGER;

CREATE TABLE heartbeats (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  at INTEGER NOT NULL,
  report TEXT NOT NULL
) STRICT;
