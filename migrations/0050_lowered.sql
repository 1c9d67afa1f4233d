-- Pages of crawls with a depth limit that were read, and whose depth was lowered since: a nearer way to them was found. Their links are looked at again
-- at the new depth (src/frontier/commit/look-again.ts). The transaction that lowers a depth writes the row, and the one that has looked removes it.
CREATE TABLE lowered (
  crawl TEXT NOT NULL,
  url TEXT NOT NULL,
  -- How often the installation's hook failed on its links.
  tries INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (crawl, url)
) STRICT, WITHOUT ROWID;

-- The depth under which the backlog lists the URL, if its depth was lowered since. Null for all others.
ALTER TABLE urls ADD COLUMN listed_depth INTEGER;
