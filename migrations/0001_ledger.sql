-- The ledger: the truth about every crawl and every URL. docs/architecture.md explains it; src/store/ holds all SQL that uses it.

CREATE TABLE crawls (
  id TEXT PRIMARY KEY,
  status TEXT NOT NULL,
  -- A message of an older epoch is dropped. Pause, resume and repair raise it.
  epoch INTEGER NOT NULL DEFAULT 1,
  options TEXT NOT NULL,
  -- JSON array of URL.host values in scope: those of the seeds, and those that a seed redirected to.
  hosts TEXT NOT NULL,
  schedule_id TEXT,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  updated_at INTEGER NOT NULL,
  finished_at INTEGER,
  -- When the heartbeat may call the crawl stalled if nothing has moved.
  wake_at INTEGER NOT NULL,
  -- When the crawl reaches its time limit; NULL is never.
  deadline_at INTEGER,
  last_url TEXT,
  -- What keeps it from moving, for people; NULL while it moves.
  waiting_for TEXT,
  page_limit INTEGER NOT NULL,
  max_queued INTEGER NOT NULL,
  -- Exact counts of this crawl's rows in urls, changed in the same transaction as those rows.
  discovered INTEGER NOT NULL DEFAULT 0,
  pending INTEGER NOT NULL DEFAULT 0,
  queued INTEGER NOT NULL DEFAULT 0,
  completed INTEGER NOT NULL DEFAULT 0,
  disallowed INTEGER NOT NULL DEFAULT 0,
  skipped INTEGER NOT NULL DEFAULT 0,
  errored INTEGER NOT NULL DEFAULT 0,
  cancelled INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  -- Scratch of one transaction: how many URLs it discovers, and how many of them go straight into the queue.
  tx_fresh INTEGER NOT NULL DEFAULT 0,
  tx_granted INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE urls (
  crawl TEXT NOT NULL,
  url TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,
  detail TEXT,
  depth INTEGER NOT NULL,
  -- The page on which it was found; NULL for a seed.
  via TEXT,
  priority INTEGER NOT NULL,
  -- Order of discovery within the crawl.
  seq INTEGER NOT NULL,
  -- Redirects that led here in a row.
  redirects INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  http_status INTEGER,
  title TEXT,
  content_type TEXT,
  bytes INTEGER,
  sha256 TEXT,
  fetched_at INTEGER,
  PRIMARY KEY (crawl, url)
) STRICT, WITHOUT ROWID;

-- The only index: the order in which pending URLs move up. A URL that finds room in the queue when it is discovered is never written to it.
CREATE INDEX urls_pending ON urls (crawl, priority DESC, depth, seq) WHERE status = 'pending';

-- Links that scope refused when they were found: counted by reason, a few examples of each.
CREATE TABLE refusals (
  crawl TEXT NOT NULL,
  reason TEXT NOT NULL,
  count INTEGER NOT NULL,
  examples TEXT NOT NULL,
  PRIMARY KEY (crawl, reason)
) STRICT, WITHOUT ROWID;

CREATE TABLE schedules (
  id TEXT PRIMARY KEY,
  cron TEXT NOT NULL,
  options TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  last_crawl_id TEXT,
  last_started_at INTEGER
) STRICT;
