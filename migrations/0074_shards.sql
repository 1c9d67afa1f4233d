-- A crawl over several ledgers, by host (src/crawl/shards/shards.ts): it has a part in each of them, which is a whole row
-- of `crawls`. Which parts there are stands in the notes of each (`shards`). A crawl in one ledger has no row here.

-- What one part knows of the others.
CREATE TABLE shard_parts (
  crawl TEXT NOT NULL PRIMARY KEY,
  -- The part that people see.
  home TEXT NOT NULL,
  -- The number of the last intent that the part has applied. -1 for a home whose parts are all being deleted.
  intent INTEGER NOT NULL DEFAULT 0,
  -- How many lists of URLs the part has taken from others, and has left for others.
  taken INTEGER NOT NULL DEFAULT 0,
  left_behind INTEGER NOT NULL DEFAULT 0,
  -- The number of the last change of its page limit that the part has applied.
  grant_number INTEGER NOT NULL DEFAULT 0,
  -- Of a home: what each part may have of the page limit, as JSON (src/crawl/shards/grants.ts).
  grants TEXT
) STRICT, WITHOUT ROWID;

-- What a transaction found for other parts. A row costs one row written, and one when it is removed: one for each
-- commit that found something for others, whatever their number. The table is nearly empty, so it has no index.
CREATE TABLE shard_outbox (
  id INTEGER PRIMARY KEY,
  crawl TEXT NOT NULL,
  -- A JSON object: by the number of a ledger, what its part gets.
  body TEXT NOT NULL
) STRICT;

-- What somebody wants of all parts, in the order of its numbers; in the ledger of the home.
CREATE TABLE shard_intents (
  crawl TEXT NOT NULL,
  number INTEGER NOT NULL,
  body TEXT NOT NULL,
  -- Whether all parts have applied it.
  is_done INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (crawl, number)
) STRICT, WITHOUT ROWID;

-- They are few, so they go with the row of the crawl.
CREATE TRIGGER crawls_forget_shards AFTER DELETE ON crawls WHEN old.notes ->> '$.shards' IS NOT NULL BEGIN
  DELETE FROM shard_outbox WHERE crawl = old.id;
  DELETE FROM shard_intents WHERE crawl = old.id;
  DELETE FROM shard_parts WHERE crawl = old.id;
END;
