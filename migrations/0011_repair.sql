-- How long a running crawl may stand still before it counts as stalled, in milliseconds. A repair doubles it; time in which commits settle
-- URLs takes it down again to two minutes (TALLY in src/store/ledger/ledger-commit.ts).
ALTER TABLE crawls ADD COLUMN patience_ms INTEGER NOT NULL DEFAULT 120000;

-- The transaction that put the row into the queue, or changed the crawl's status: a random number. A retried transaction finds by it what its
-- first try did, whose answer was lost (src/store/ledger/plan.ts). Only queued rows have it.
ALTER TABLE urls ADD COLUMN tx INTEGER;
ALTER TABLE sitemaps ADD COLUMN tx INTEGER;
ALTER TABLE crawls ADD COLUMN tx INTEGER;

-- The names of the last transactions that were billed: a retried one is billed once.
ALTER TABLE crawls ADD COLUMN billed TEXT NOT NULL DEFAULT '';

-- In a dry run, pages that would be fetched (reason dry-run). They count towards the page limit; other skipped pages do not. This replaces `taken`.
ALTER TABLE crawls ADD COLUMN dry_pages INTEGER NOT NULL DEFAULT 0;
ALTER TABLE crawls ADD COLUMN taken_pages INTEGER GENERATED ALWAYS AS (completed - assets_completed + dry_pages) VIRTUAL;
UPDATE crawls SET dry_pages = (SELECT count(*) FROM urls WHERE crawl = crawls.id AND reason = 'dry-run') WHERE dry_run = 1;

-- The first pending sitemap of each host. Crawls have few sitemaps: it costs one more written row for each change of a sitemap's status.
CREATE INDEX sitemaps_host ON sitemaps (crawl, status, host, seq);

-- No message holds such a URL, so no repair could send it. From now on they are refused when they are found.
UPDATE sitemaps SET status = 'errored', reason = 'bad-sitemap', detail = 'its URL is longer than 2,048 characters', due_at = NULL
WHERE status IN ('pending', 'queued') AND length(url) > 2048;
