-- URLs that a learned rule holds back until the end of their crawl (src/scope/withheld-url.ts): up to 100 in a row, of
-- one rule of a host. A batch writes one row for each rule that holds back URLs of it, at most 10,000 URLs a rule; the
-- end of the crawl writes each row once more, and a withdrawn rule each row of its host. If each of the 40,000 batches
-- of a million pages held back URLs of two rules, that would be 80,000 rows, and 80,000 at the end: 0.16 USD. In fact a
-- rule is full long before: 20,000 rows, 0.04 USD. A crawl without rules writes none, and reads none but one place in
-- the index when nothing of it is open.
CREATE TABLE withheld_urls (
  crawl TEXT NOT NULL,
  host TEXT NOT NULL,
  -- A key of the rules in `same_pages`.
  rule TEXT NOT NULL,
  -- The number of URLs that the rule held back before these.
  seq INTEGER NOT NULL,
  -- How many it held back here at first, and how many it still does.
  total INTEGER NOT NULL,
  count INTEGER NOT NULL,
  -- Those of them without a row in `urls`: refused links.
  links INTEGER NOT NULL,
  -- URLs that were fetched to test the rule.
  tested INTEGER NOT NULL DEFAULT 0,
  -- 1: the crawl does not end before these were looked at.
  is_open INTEGER NOT NULL DEFAULT 1,
  -- Counts its writes: two that look at once do not undo each other.
  version INTEGER NOT NULL DEFAULT 1,
  -- JSON: a list of WithheldUrl.
  urls TEXT NOT NULL,
  PRIMARY KEY (crawl, host, rule, seq)
) STRICT, WITHOUT ROWID;
