-- Passes: what reads a whole crawl afterwards (src/passes/). A crawl has at most the pass that runs, the last one that
-- completed and the last one that failed. A step of a pass writes its row once, and a million pages are some 450 steps.
CREATE TABLE passes (
  crawl TEXT NOT NULL,
  id TEXT NOT NULL,
  -- running, completed or errored.
  status TEXT NOT NULL DEFAULT 'running',
  -- What it does now, for people.
  stage TEXT NOT NULL,
  steps_done INTEGER NOT NULL DEFAULT 0,
  -- An estimate; NULL until the rows are counted.
  steps INTEGER,
  -- The number of the crawl's changes when the pass began.
  changes INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  -- The beginning of its last step.
  progress_at INTEGER NOT NULL,
  finished_at INTEGER,
  error TEXT,
  -- The process that worked on it last; NULL on Cloudflare.
  boot TEXT,
  PRIMARY KEY (crawl, id)
) STRICT, WITHOUT ROWID;

-- A crawl has one pass at a time.
CREATE UNIQUE INDEX passes_running ON passes (crawl) WHERE status = 'running';

-- The pass whose result holds; NULL before the first.
ALTER TABLE crawls ADD COLUMN pass TEXT;

-- The PageRank as a logarithmic step, 0 to 255; NULL before the first pass. No index has it, so a pass writes one row
-- for each page whose step changed: at most 1 USD per million pages.
ALTER TABLE urls ADD COLUMN rank INTEGER;
