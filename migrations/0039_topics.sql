-- Crawls with a subject (src/topic/). The columns stand in rows that are written anyway, so they cost no write, and no
-- column has an index.
-- How much a page says about the subject, 0 to 1; 0.5 is relevant.
ALTER TABLE urls ADD COLUMN relevance REAL;
-- Why the link to it was put where it was, as JSON (LinkScore in src/topic/course/score-link.ts); null for seeds.
ALTER TABLE urls ADD COLUMN found TEXT;
-- Completed pages that are relevant.
ALTER TABLE crawls ADD COLUMN relevant INTEGER NOT NULL DEFAULT 0;

-- What a crawl has learned of its subject (src/crawl/subject/learned-topic.ts). Read once for a batch, and written once for a
-- commit that completes pages: 40,000 rows for a million pages, or 0.04 USD. A crawl without a subject has no row.
CREATE TABLE topics (
  crawl TEXT NOT NULL,
  -- JSON, at most some 100 kB.
  learned TEXT NOT NULL,
  -- Counts its writes: two batches that learn at once both count.
  version INTEGER NOT NULL,
  PRIMARY KEY (crawl)
) STRICT, WITHOUT ROWID;
