-- The cookies that a chain of redirects has set so far, for the URL to which it leads (src/fetch/request/cookie-jar.ts); NULL for every other URL, so it costs
-- nothing there.
ALTER TABLE urls ADD COLUMN cookies TEXT;

-- The cookies of a crawl that keeps them: one jar for each host that has set any.
CREATE TABLE cookies (
  crawl TEXT NOT NULL,
  -- URL.hostname.
  host TEXT NOT NULL,
  -- A JSON array: at most 50 cookies, whose names, values and paths have at most 8,192 characters together.
  jar TEXT NOT NULL,
  PRIMARY KEY (crawl, host)
) STRICT, WITHOUT ROWID;
