-- Watches: crawls that stay, and visit their pages again (docs/watch.md).

-- The mean time between two visits of a page, in seconds; NULL for a crawl that ends.
ALTER TABLE crawls ADD COLUMN every_s INTEGER GENERATED ALWAYS AS (options ->> '$.watch.everyS') VIRTUAL;
-- When the crawl had no open URL for the first time, and began to visit.
ALTER TABLE crawls ADD COLUMN watching_since INTEGER;
-- Visits by result: JSON of numbers.
ALTER TABLE crawls ADD COLUMN visits TEXT NOT NULL DEFAULT '{}';
-- The place of the heartbeat that looks for due visits, and the budget of visits: JSON.
ALTER TABLE crawls ADD COLUMN sweep TEXT;
-- What the visits of all pages tell of each page: JSON of numbers (src/revisit/site-prior.ts).
ALTER TABLE crawls ADD COLUMN knowledge TEXT NOT NULL DEFAULT '{}';
-- The last number in changes. tx_changes is scratch of one transaction: how many it adds.
ALTER TABLE crawls ADD COLUMN change_seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE crawls ADD COLUMN tx_changes INTEGER NOT NULL DEFAULT 0;

-- Validators of the stored answer, as received (RFC 9110, section 8.8).
ALTER TABLE urls ADD COLUMN etag TEXT;
ALTER TABLE urls ADD COLUMN last_modified TEXT;
-- Settled visits. An outcome of a visit settles only while this number stands.
ALTER TABLE urls ADD COLUMN visits INTEGER NOT NULL DEFAULT 0;
ALTER TABLE urls ADD COLUMN visited_at INTEGER;
-- When it is due, if that does not follow from its rate of change: after a failed visit, a first 404, a signal. No index: an
-- unchanged visit writes one row, and a heartbeat scans.
ALTER TABLE urls ADD COLUMN visit_at INTEGER;
-- The discounted numbers of changes and of days from which its rate of change follows.
ALTER TABLE urls ADD COLUMN rate_changes REAL;
ALTER TABLE urls ADD COLUMN rate_days REAL;
-- Failed visits in a row, and the first visit that found it missing.
ALTER TABLE urls ADD COLUMN visit_failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE urls ADD COLUMN missing_at INTEGER;
-- Which versions were told: JSON; NULL before the first change.
ALTER TABLE urls ADD COLUMN told TEXT;

-- Earlier versions of pages. The row of urls has the current one.
CREATE TABLE versions (
  crawl TEXT NOT NULL,
  url TEXT NOT NULL,
  fetched_at INTEGER NOT NULL,
  http_status INTEGER,
  title TEXT,
  content_type TEXT,
  bytes INTEGER,
  sha256 TEXT,
  truncated TEXT,
  pack TEXT,
  pack_offset INTEGER,
  pack_length INTEGER,
  revisits TEXT,
  content_offset INTEGER,
  content_length INTEGER,
  PRIMARY KEY (crawl, url, fetched_at)
) STRICT, WITHOUT ROWID;

-- What the pages of a host have in common, and what differs at each visit: JSON of at most 40 kB (src/changes/template/host-template.ts).
CREATE TABLE templates (
  crawl TEXT NOT NULL,
  -- URL.host.
  host TEXT NOT NULL,
  template TEXT NOT NULL,
  PRIMARY KEY (crawl, host)
) STRICT, WITHOUT ROWID;

-- What changed, in the order in which it was noticed.
CREATE TABLE changes (
  crawl TEXT NOT NULL,
  seq INTEGER NOT NULL,
  url TEXT NOT NULL,
  -- added, changed, moved, removed or restored.
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  -- For people: where it moved, why it is gone.
  detail TEXT,
  PRIMARY KEY (crawl, seq)
) STRICT, WITHOUT ROWID;
