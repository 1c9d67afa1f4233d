-- Full-text search: docs/search.md, src/store/records/search-index.ts.

-- The text of the completed pages of crawls that asked for search. The two indexes below keep none of their own, and are told of each row
-- that comes or goes by whoever adds or removes it: a trigger would do, but D1 has refused triggers that came in a migration
-- (https://github.com/cloudflare/workers-sdk/issues/4998).
CREATE TABLE search_pages (
  -- In the order of the commits: of two copies of a page the newer one has the larger id.
  id INTEGER PRIMARY KEY,
  crawl TEXT NOT NULL,
  url TEXT NOT NULL,
  -- Whether any of it is in a script that puts no spaces between words, or that joins particles to them.
  unspaced INTEGER NOT NULL,
  title TEXT NOT NULL,
  -- The last column: what reads the others does not read its pages.
  text TEXT NOT NULL,
  UNIQUE (crawl, url)
) STRICT;

-- Marks (Mn, Mc) are parts of words in Devanagari, Arabic, Hebrew and their like; by default they would cut them.
CREATE VIRTUAL TABLE search_words USING fts5 (
  title, text, content = 'search_pages', content_rowid = 'id',
  tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);

CREATE VIRTUAL TABLE search_trigrams USING fts5 (
  title, text, content = 'search_pages', content_rowid = 'id', tokenize = 'trigram'
);

-- Which trigrams there are: how words of one or two characters are found.
CREATE VIRTUAL TABLE search_trigram_terms USING fts5vocab (search_trigrams, row);
