-- What a row is: a page, or an asset that pages show. Derived, so that it costs no write, and code of before this migration goes on writing `asset`.
ALTER TABLE urls ADD COLUMN kind TEXT GENERATED ALWAYS AS (CASE asset WHEN 1 THEN 'asset' ELSE 'page' END) VIRTUAL;

-- Priorities are numbers: pages 0 to 999, assets 1,000 (src/crawl/page/url-kind.ts). Assets had 2.
UPDATE urls SET priority = 1000 WHERE status = 'pending' AND asset = 1;

-- The counters of pages alone, and what counts towards the page limit: completed pages, and in a dry run those that would be.
ALTER TABLE crawls ADD COLUMN pages_pending INTEGER GENERATED ALWAYS AS (pending - assets_pending) VIRTUAL;
ALTER TABLE crawls ADD COLUMN pages_queued INTEGER GENERATED ALWAYS AS (queued - assets_queued) VIRTUAL;
ALTER TABLE crawls ADD COLUMN taken INTEGER GENERATED ALWAYS AS (completed - assets_completed + dry_run * skipped) VIRTUAL;

-- Scratch of one transaction, as tx_fresh is: whether it is the one that ended the crawl.
ALTER TABLE crawls ADD COLUMN tx_ended INTEGER NOT NULL DEFAULT 0;

-- What reading crawls, schedules and the heartbeat have used of the platform since the installation began to count: no crawl is billed for it.
CREATE TABLE installation (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  usage TEXT NOT NULL,
  since INTEGER NOT NULL
) STRICT;
