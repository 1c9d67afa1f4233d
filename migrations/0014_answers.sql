-- Where an answer lies in a pack that belongs to no row of urls: robots.txt files, a row for each crawl and origin, and sitemaps, a row for each that was
-- asked for. A page that was not stored (a redirect, an error) names its pack in its own row, as a stored page does.
CREATE TABLE answers (
  crawl TEXT NOT NULL,
  url TEXT NOT NULL,
  pack TEXT NOT NULL,
  pack_offset INTEGER NOT NULL,
  pack_length INTEGER NOT NULL,
  http_status INTEGER NOT NULL,
  content_type TEXT,
  fetched_at INTEGER NOT NULL,
  PRIMARY KEY (crawl, url)
) STRICT, WITHOUT ROWID;

-- What an export leaves out of a pack: the warcinfo record at its beginning, for the export has one of its own, and what was made of pages, at its end. Packs of
-- earlier versions are exported whole.
ALTER TABLE packs ADD COLUMN info_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE packs ADD COLUMN content_bytes INTEGER NOT NULL DEFAULT 0;
