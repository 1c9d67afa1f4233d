-- Sitemaps: where URLs come from besides links. They are no pages, so they have rows of their own, which no counter counts.
CREATE TABLE sitemaps (
  crawl TEXT NOT NULL,
  url TEXT NOT NULL,
  -- The words of urls.status; one sitemap of a host is queued at a time, and none while the crawl knows enough URLs.
  status TEXT NOT NULL,
  reason TEXT,
  detail TEXT,
  host TEXT NOT NULL,
  -- Whether nobody named it: it may be missing.
  guessed INTEGER NOT NULL,
  -- Indexes that led to it in a row.
  depth INTEGER NOT NULL,
  -- The robots.txt, index or redirect that names it.
  via TEXT,
  -- Order of discovery within the crawl.
  seq INTEGER NOT NULL,
  redirects INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  http_status INTEGER,
  -- URLs that it lists.
  listed INTEGER,
  fetched_at INTEGER,
  -- As in urls.
  due_at INTEGER,
  PRIMARY KEY (crawl, url)
) STRICT, WITHOUT ROWID;

CREATE INDEX sitemaps_status ON sitemaps (crawl, status, seq);
CREATE INDEX sitemaps_due ON sitemaps (due_at) WHERE due_at IS NOT NULL;

-- When a sitemap says that the page last changed.
ALTER TABLE urls ADD COLUMN lastmod INTEGER;

-- A long wait: there is no message for this queued URL, and the heartbeat sends one when it is due.
ALTER TABLE urls ADD COLUMN due_at INTEGER;
CREATE INDEX urls_due ON urls (due_at) WHERE due_at IS NOT NULL;

-- A dry run asks for robots.txt and sitemaps alone; its pages are skipped where others are completed.
ALTER TABLE crawls ADD COLUMN dry_run INTEGER NOT NULL DEFAULT 0;
