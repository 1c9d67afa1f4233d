-- Where a page lies that was kept in a pack: a WARC file of gzip members, one object of the mirror (docs/architecture.md). Offset and length are those of its
-- response, or of the revisit that stands for one; what was made of it lies in the same pack.
ALTER TABLE urls ADD COLUMN pack TEXT;
ALTER TABLE urls ADD COLUMN pack_offset INTEGER;
ALTER TABLE urls ADD COLUMN pack_length INTEGER;
ALTER TABLE urls ADD COLUMN content_offset INTEGER;
ALTER TABLE urls ADD COLUMN content_length INTEGER;

-- The packs that a commit has taken, in the order of their names, which begin with the time.
CREATE TABLE packs (
  crawl TEXT NOT NULL,
  name TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (crawl, name)
) STRICT, WITHOUT ROWID;

-- The page whose content it has, where its record is a revisit and not a response.
ALTER TABLE urls ADD COLUMN revisits TEXT;
