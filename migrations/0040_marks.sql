-- What a person says of pages: a label, such as `right` or `wrong` (src/crawl/subject/mark.ts). Only marked pages have a row, at
-- most 10,000 in a crawl, and a mark writes three rows: nothing per million pages.
CREATE TABLE marks (
  -- Grows with every mark, also when a page gets another label, and is never used again. So a reader that keeps the
  -- last number that it has seen misses none.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  crawl TEXT NOT NULL,
  url TEXT NOT NULL,
  label TEXT NOT NULL,
  marked_at INTEGER NOT NULL,
  UNIQUE (crawl, url)
) STRICT;

-- The marks of a crawl after a number.
CREATE INDEX marks_seq ON marks (crawl, seq);

-- The label that a classifier gives the page, and its confidence, 0 to 1; NULL before the first. No index has them, so a
-- classification writes one row for each page whose label or confidence changed: at most 1 USD per million pages.
ALTER TABLE urls ADD COLUMN label TEXT;
ALTER TABLE urls ADD COLUMN confidence REAL;

-- What a pass does: analyze, classify or topics. A crawl has one running pass, and one result of each kind.
ALTER TABLE passes ADD COLUMN kind TEXT NOT NULL DEFAULT 'analyze';
