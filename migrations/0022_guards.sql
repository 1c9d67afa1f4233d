-- What keeps a watch right over years (docs/watch.md).

-- How the last visits of a host went, in two days (UTC): the one named here and the one before. A batch counts here only
-- if one of its visits to the host found a page missing or moved, or failed; so an unchanged visit costs nothing.
CREATE TABLE watch_hosts (
  crawl TEXT NOT NULL,
  host TEXT NOT NULL,
  -- Days since 1970-01-01.
  day INTEGER NOT NULL,
  visits INTEGER NOT NULL,
  lost INTEGER NOT NULL,
  visits_before INTEGER NOT NULL DEFAULT 0,
  lost_before INTEGER NOT NULL DEFAULT 0,
  -- Ten visits, and a fifth of them all.
  is_troubled INTEGER GENERATED ALWAYS AS (lost + lost_before >= 10 AND 5 * (lost + lost_before) >= visits + visits_before) VIRTUAL,
  -- When the trouble began, and the last day on which it was seen.
  trouble_since INTEGER,
  troubled_on INTEGER,
  PRIMARY KEY (crawl, host)
) STRICT, WITHOUT ROWID;

-- maxCostUsd of a watch is per month: the month (12 * year + month), and what the crawl had used when it began.
ALTER TABLE crawls ADD COLUMN month INTEGER;
ALTER TABLE crawls ADD COLUMN month_usage TEXT;
-- When the heartbeat resumes a crawl that a limit paused.
ALTER TABLE crawls ADD COLUMN resume_at INTEGER;

-- The place of the heartbeat that removes old versions and their packs: JSON.
ALTER TABLE crawls ADD COLUMN keep_place TEXT;
-- Versions whose content lies with another page's. Written only with such a version.
CREATE INDEX versions_revisits ON versions (crawl, revisits) WHERE revisits IS NOT NULL;
