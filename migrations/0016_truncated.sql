-- How the stored body of a page is broken (src/crawl/page/outcome.ts); NULL where it is whole. No index, so it costs nothing.
ALTER TABLE urls ADD COLUMN truncated TEXT;
