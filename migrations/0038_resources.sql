-- What rendered pages asked for stands among the answers of the archive: a row for each distinct URL of a crawl. A million pages with a request of their own
-- each cost a million rows, or 1 USD; scripts and styles that pages share cost nothing.
-- The digest of the body, by which an answer is stored once. Null for robots.txt files and sitemaps.
ALTER TABLE answers ADD COLUMN sha256 TEXT;
