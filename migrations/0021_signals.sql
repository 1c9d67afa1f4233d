-- Signals: what sitemaps, feeds and owners say about the pages of a watch (docs/watch.md).

-- Validators of the last answer, as received (RFC 9110, section 8.8).
ALTER TABLE sitemaps ADD COLUMN etag TEXT;
ALTER TABLE sitemaps ADD COLUMN last_modified TEXT;
-- Settled readings after the first. An outcome of a reading settles only while this number stands.
ALTER TABLE sitemaps ADD COLUMN readings INTEGER NOT NULL DEFAULT 0;
-- When the last of them settled, and when one was sent that has not settled yet.
ALTER TABLE sitemaps ADD COLUMN read_at INTEGER;
ALTER TABLE sitemaps ADD COLUMN asked_at INTEGER;
-- Whether it is a feed that a page names.
ALTER TABLE sitemaps ADD COLUMN feed INTEGER NOT NULL DEFAULT 0;

-- When a signal said that the page has changed since its last visit. No index: a signal writes one row.
ALTER TABLE urls ADD COLUMN signalled_at INTEGER;

-- When the heartbeat looks for due readings again.
ALTER TABLE crawls ADD COLUMN readings_at INTEGER;
-- Visits that signals have brought, and when that was counted. The debt falls by the budget of the watch.
ALTER TABLE crawls ADD COLUMN signal_debt REAL NOT NULL DEFAULT 0;
ALTER TABLE crawls ADD COLUMN signal_debt_at INTEGER NOT NULL DEFAULT 0;

-- How often the signals of a host proved true. Sums over visits, written where a visit was signalled or found a change:
-- a row a commit, so at most 40,000 writes for a million such visits, and none for the others.
CREATE TABLE signals (
  crawl TEXT NOT NULL,
  host TEXT NOT NULL,
  -- Visits of signalled pages; those that found a change; and how many would have by their rates.
  signalled REAL NOT NULL,
  proved REAL NOT NULL,
  expected REAL NOT NULL,
  -- Visits that found a change, signalled or not.
  changed REAL NOT NULL,
  PRIMARY KEY (crawl, host)
) STRICT, WITHOUT ROWID;

-- Keys of IndexNow by `URL.host` (https://www.indexnow.org/documentation), with the URLs that wait for a check.
CREATE TABLE indexnow_keys (
  host TEXT NOT NULL,
  -- The key file.
  location TEXT NOT NULL,
  key TEXT NOT NULL,
  -- pending, valid or refused.
  status TEXT NOT NULL,
  -- When the status was set.
  at INTEGER NOT NULL,
  -- A JSON array.
  urls TEXT NOT NULL,
  PRIMARY KEY (host, location, key)
) STRICT, WITHOUT ROWID;
