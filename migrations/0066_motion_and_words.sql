-- A crawl with a subject learns before it runs: two pages for each host of its seeds are in motion until ten pages have
-- ended, and then as many as have ended, up to its max_queued. Both columns are in the crawl's row, which is read and
-- written anyway. Crawls that are older than this start with all of max_queued.
ALTER TABLE crawls ADD COLUMN learns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE crawls ADD COLUMN max_moving INTEGER GENERATED ALWAYS AS (CASE WHEN learns = 0 THEN max_queued ELSE
  min(max_queued, max(1, 2 * json_array_length(hosts), iif(taken_pages + disallowed + skipped + errored < 10, 0,
    taken_pages + disallowed + skipped + errored))) END) VIRTUAL;

-- Which words the index has: how the nearest ones to a mistyped word are found. It has no rows of its own.
CREATE VIRTUAL TABLE search_word_terms USING fts5vocab (search_words, row);
