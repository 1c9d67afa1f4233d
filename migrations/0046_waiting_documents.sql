-- Documents that lie in R2 and wait for the reader Worker, with what is known of their answers. A row is written when
-- the document is stored, and removed in the transaction that settles its URL: two rows written for each PDF, Office or
-- EPUB document, and none for a page. The lookup of a URL without a row reads none.
CREATE TABLE waiting_documents (
  crawl TEXT NOT NULL,
  url TEXT NOT NULL,
  -- The number of settled visits of a page that is visited again; NULL for a URL that is queued.
  visit INTEGER,
  -- A DocumentAnswer in JSON.
  answer TEXT NOT NULL,
  PRIMARY KEY (crawl, url)
) STRICT, WITHOUT ROWID;
