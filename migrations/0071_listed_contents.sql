-- Which content a crawl has stored already, without a row of an index for each page (src/store/ledger/contents.ts). The
-- first page of each content is listed: in the list of the URLs that finished with it, which is written anyway, and
-- after a hundred such lists by digest in `contents`. That is 0.02 to 0.04 rows a page, in place of one of the index
-- urls_sha256: a million pages cost 0.95 USD less, and take some 170 MB less of the database. Each commit reads the
-- lists since then, two to twenty rows a page.

-- The digest of a page that is listed. `sha256` has the others, which the index urls_sha256 finds: copies of stored
-- pages, pages of watches, and those of earlier versions.
ALTER TABLE urls ADD COLUMN listed_sha256 TEXT;
ALTER TABLE urls ADD COLUMN body_sha256 TEXT GENERATED ALWAYS AS (coalesce(sha256, listed_sha256)) VIRTUAL;

-- A JSON array, in the order of `urls`: the beginning of the digest of each page that the list lists, null for the others;
-- NULL if it lists none.
ALTER TABLE finished ADD COLUMN digests TEXT;

CREATE TABLE contents (
  crawl TEXT NOT NULL,
  -- The first digits of the digests; '' for the row that says what the others have.
  prefix TEXT NOT NULL,
  -- JSON arrays between commas: the beginning of the digest, the list and the place in it. In the row '': a JSON array of
  -- the numbers of digits that prefixes have.
  pages TEXT NOT NULL,
  -- The last list that is sorted in, in the row ''.
  sorted INTEGER,
  PRIMARY KEY (crawl, prefix)
) STRICT, WITHOUT ROWID;
