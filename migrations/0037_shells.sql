-- Pages that scripts draw. The columns stand in rows that are written anyway, so they cost no write.
-- Why a completed page looks as if scripts made what it shows, and no browser drew it (src/media/html/rendering/shell.ts).
ALTER TABLE urls ADD COLUMN shell TEXT;
-- Why a browser drew it.
ALTER TABLE urls ADD COLUMN rendered TEXT;
-- The number of each.
ALTER TABLE crawls ADD COLUMN shells INTEGER NOT NULL DEFAULT 0;
ALTER TABLE crawls ADD COLUMN rendered INTEGER NOT NULL DEFAULT 0;

-- What a browser made of the pages of a host, by URL pattern (src/crawl/page/render-memory.ts). Written once for a lane that
-- drew pages, until each pattern has had 20 of one outcome. If each of the 40,000 batches of a million pages learned,
-- that would be 40,000 rows, or 0.04 USD; the browser itself would cost some 30 USD for these pages. A lane of a crawl
-- that draws pages reads the row of its host: 40,000 rows per million pages, below 0.0001 USD.
CREATE TABLE render_memory (
  crawl TEXT NOT NULL,
  host TEXT NOT NULL,
  -- JSON, at most some 20 kB.
  learned TEXT NOT NULL,
  -- Counts its writes: two batches that learn at once both count.
  version INTEGER NOT NULL,
  PRIMARY KEY (crawl, host)
) STRICT, WITHOUT ROWID;
