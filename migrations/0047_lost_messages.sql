-- How often batches with a URL failed in a row, for as long as it has a due time. Written together with `due_at`.
ALTER TABLE urls ADD COLUMN failures INTEGER;
ALTER TABLE sitemaps ADD COLUMN failures INTEGER;

-- Where the heartbeat is in its search for queued rows whose message was lost (src/lifecycle/lost-messages.ts). One row
-- for a crawl that runs for longer than five minutes, written once a minute, and removed when the crawl ends.
CREATE TABLE message_searches (
  crawl TEXT PRIMARY KEY,
  -- The search goes on after this time.
  next_at INTEGER NOT NULL,
  -- A MessageSearch in JSON.
  state TEXT NOT NULL
) STRICT, WITHOUT ROWID;
