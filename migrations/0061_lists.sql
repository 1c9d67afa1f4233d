-- The name that a client gave to a list of URLs which it sends in portions; the crawl is paused until all are there.
-- NULL: the crawl takes no list, or has all of it. It costs no row and no index: the crawls that are paused are few.
ALTER TABLE crawls ADD COLUMN list TEXT;
