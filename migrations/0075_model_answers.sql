-- What a model was asked about pages (docs/extract.md). The answer is stored before it is used, so nobody pays for it twice, whatever is
-- killed. A question costs a row and an update of its crawl: two writes and some 1.5 kB, which is 2 USD for a million pages and 1.20 USD a
-- month. The calls themselves cost a hundred times as much. Crawls without a model have none.
CREATE TABLE model_answers (
  crawl TEXT NOT NULL,
  -- The hash of all that was said to the model, its name included.
  key TEXT NOT NULL,
  -- JSON: what it answered, as it wrote it, and how many tokens that took.
  reply TEXT NOT NULL,
  PRIMARY KEY (crawl, key)
) WITHOUT ROWID;
