-- Pages of patterns that grow have a negative priority (src/crawl/page/url-kind.ts). How many of them are pending and queued: a limit on those in motion needs
-- the numbers at each commit. They stand in the crawl's row, which each commit writes anyway, so they cost no row and no index. Rows of earlier versions
-- have no negative priority, so 0 is exact for them.
ALTER TABLE crawls ADD COLUMN growing_pending INTEGER NOT NULL DEFAULT 0;
ALTER TABLE crawls ADD COLUMN growing_queued INTEGER NOT NULL DEFAULT 0;
