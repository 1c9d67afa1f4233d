-- The rules that read the sections of a crawl, made of what a model found in some pages of each (docs/extract.md). A crawl with `extract` has
-- a row for each section of more than a dozen pages, and one for the patterns of their URLs: some dozens of rows of some kilobytes, which a
-- step of the pass reads, and writes where they changed. Other crawls have none.
CREATE TABLE extraction_sections (
  crawl TEXT NOT NULL,
  -- The pattern of the URLs; empty for the patterns of all.
  section TEXT NOT NULL,
  -- JSON.
  state TEXT NOT NULL,
  PRIMARY KEY (crawl, section)
) WITHOUT ROWID;
