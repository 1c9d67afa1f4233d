-- What a crawl has learned of a host: parts of its URLs that never change the page (src/scope/same-page-rules.ts).
-- Written once for a batch that learns something, and by no other: each rule of a host takes some eight examples, and at
-- most 100. If each of the 40,000 batches of a million pages learned, that would be 40,000 rows, or 0.04 USD. A batch
-- reads the row of each of its hosts twice: 80,000 rows per million pages of one host, below 0.0001 USD.
CREATE TABLE same_pages (
  crawl TEXT NOT NULL,
  host TEXT NOT NULL,
  -- JSON, usually some 10 kB, at most some 150 kB.
  learned TEXT NOT NULL,
  -- Counts its writes: two batches that learn at once both count.
  version INTEGER NOT NULL,
  PRIMARY KEY (crawl, host)
) STRICT, WITHOUT ROWID;
