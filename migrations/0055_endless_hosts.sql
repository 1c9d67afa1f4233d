-- Which groups of a host's URLs say nothing new any more (src/scope/endless-groups.ts). An isolate writes and reads it only where it has fetched 50 pages
-- of a group, and writes it once for a batch that has read pages which were found on other pages of such a group: if that were each of the 40,000 batches
-- of a million pages, 40,000 rows, or 0.04 USD. Such a batch reads the row three times: 120,000 rows per million pages, below 0.0002 USD.
CREATE TABLE endless_hosts (
  crawl TEXT NOT NULL,
  host TEXT NOT NULL,
  -- JSON, at most some 150 kB.
  learned TEXT NOT NULL,
  -- Counts its writes: two batches that learn at once both count.
  version INTEGER NOT NULL,
  PRIMARY KEY (crawl, host)
) STRICT, WITHOUT ROWID;
