-- What follows a watch: deltas and feeds (docs/watch.md).

-- The changes of one URL, in order: a delta tells the last one alone. One more row for each change, not for each visit.
CREATE INDEX changes_by_url ON changes (crawl, url, seq);

-- The random key in the addresses of the crawl's feeds; NULL while it has none.
ALTER TABLE crawls ADD COLUMN feed_key TEXT;
