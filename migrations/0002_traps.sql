-- What tells a crawl that it is in a trap: src/scope/traps.ts, src/frontier/commit/gather.ts.

-- Steps in a row, up to this URL, from one variant of a path to another of the same pattern.
ALTER TABLE urls ADD COLUMN chain INTEGER NOT NULL DEFAULT 0;

-- Which pages have the same content.
CREATE INDEX urls_sha256 ON urls (crawl, sha256) WHERE sha256 IS NOT NULL;

-- How many URLs of a pattern were found on pages of that same pattern.
CREATE TABLE variants (
  crawl TEXT NOT NULL,
  pattern TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (crawl, pattern)
) STRICT, WITHOUT ROWID;
