-- URLs that wait for a place in the queue, in chunks (src/store/ledger/backlog.ts). A row of `urls` that waits by itself, with status `pending`, takes two
-- more written rows than one that does not: one in the index urls_pending, and one when it moves up. From now on only retried URLs wait so.
CREATE TABLE backlog (
  crawl TEXT NOT NULL,
  priority INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  -- urls.seq of its first URL. The others follow without a gap.
  seq INTEGER NOT NULL,
  count INTEGER NOT NULL,
  -- How many of them have moved up, and how many had before the last promotion.
  taken INTEGER NOT NULL DEFAULT 0,
  taken_before INTEGER NOT NULL DEFAULT 0,
  -- A JSON array, in order.
  urls TEXT NOT NULL,
  PRIMARY KEY (crawl, priority DESC, depth, seq)
) STRICT, WITHOUT ROWID;

-- What a transaction moved up, for as long as it may be retried: a retried one finds here what its first try did. The heartbeat removes old ones.
CREATE TABLE promotions (
  at INTEGER NOT NULL,
  -- The name of the transaction, as in urls.tx.
  tx INTEGER NOT NULL,
  crawl TEXT NOT NULL,
  -- URLs from rows with status `pending`, and from the backlog; of each, assets and growing pages.
  pending INTEGER NOT NULL,
  assets_pending INTEGER NOT NULL,
  growing_pending INTEGER NOT NULL,
  backlog INTEGER NOT NULL,
  assets_backlog INTEGER NOT NULL,
  growing_backlog INTEGER NOT NULL,
  -- A JSON array of [priority, depth, seq, taken, count]: the keys of rows of the backlog, how many of their URLs had moved up before, and how many
  -- moved up now.
  ranges TEXT NOT NULL,
  PRIMARY KEY (at, tx)
) STRICT, WITHOUT ROWID;

-- How many of the queued rows are in the backlog. So to code of before this migration they are in motion: it moves up fewer URLs than it might, and
-- ends no crawl too early.
ALTER TABLE crawls ADD COLUMN backlog INTEGER NOT NULL DEFAULT 0;
ALTER TABLE crawls ADD COLUMN assets_backlog INTEGER NOT NULL DEFAULT 0;
ALTER TABLE crawls ADD COLUMN growing_backlog INTEGER NOT NULL DEFAULT 0;

-- Derived: URLs that wait for a place in the queue, and URLs that have one. What code of before migration 0012 did not count is taken off.
ALTER TABLE crawls ADD COLUMN waiting INTEGER GENERATED ALWAYS AS (pending + backlog) VIRTUAL;
ALTER TABLE crawls ADD COLUMN moving INTEGER GENERATED ALWAYS AS (queued - backlog) VIRTUAL;
ALTER TABLE crawls ADD COLUMN assets_waiting INTEGER GENERATED ALWAYS AS (assets_pending + assets_backlog) VIRTUAL;
ALTER TABLE crawls ADD COLUMN assets_moving INTEGER GENERATED ALWAYS AS (assets_queued - assets_backlog) VIRTUAL;
ALTER TABLE crawls ADD COLUMN pages_waiting INTEGER GENERATED ALWAYS AS (waiting - assets_waiting) VIRTUAL;
ALTER TABLE crawls ADD COLUMN pages_moving INTEGER GENERATED ALWAYS AS (moving - assets_moving) VIRTUAL;
ALTER TABLE crawls ADD COLUMN growing_waiting INTEGER GENERATED ALWAYS AS (max(0, min(growing_pending + growing_backlog, pages_waiting))) VIRTUAL;
ALTER TABLE crawls ADD COLUMN growing_moving INTEGER GENERATED ALWAYS AS (max(0, min(growing_queued - growing_backlog, pages_moving))) VIRTUAL;
