-- The URLs of a crawl in the order in which they finish, for readers that follow it: a row for each commit that settles
-- URLs, and for each hundred that end without a fetch (src/store/records/finished-urls.ts). A million pages in 40,000
-- commits are 40,000 rows, 0.04 USD, and as much again when the crawl is deleted. Each commit reads the rows of its URLs
-- once more: a million rows, 0.001 USD. The lists repeat the URLs, 80 bytes each: 80 MB a million, 0.06 USD a month.
CREATE TABLE finished (
  crawl TEXT NOT NULL,
  -- The number of the transaction among those that finished URLs of the crawl.
  seq INTEGER NOT NULL,
  -- A list of the transaction; most have one.
  part INTEGER NOT NULL,
  -- A JSON array.
  urls TEXT NOT NULL,
  PRIMARY KEY (crawl, seq, part)
) STRICT, WITHOUT ROWID;

-- The transaction that finished the URL last. NULL while it is open, and where an earlier version has finished it. The
-- row is written anyway, and no index has the column.
ALTER TABLE urls ADD COLUMN finished_in INTEGER;
