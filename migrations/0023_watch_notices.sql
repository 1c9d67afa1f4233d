-- What webhooks are told of watches (docs/webhooks.md). A crawl without webhooks writes nothing of this.

-- The last change of the crawl that the webhook was told.
ALTER TABLE webhooks ADD COLUMN told_seq INTEGER NOT NULL DEFAULT 0;
-- Those that are there are told what changes from now on.
UPDATE webhooks SET told_seq = coalesce((SELECT change_seq FROM crawls WHERE id = crawl), 0);
-- Since when later changes wait for a message; NULL while none does.
ALTER TABLE webhooks ADD COLUMN changes_at INTEGER;
CREATE INDEX webhooks_changes ON webhooks (changes_at) WHERE changes_at IS NOT NULL;

-- Hosts in trouble whose end is still to be told.
CREATE TABLE told_troubles (
  crawl TEXT NOT NULL,
  host TEXT NOT NULL,
  -- watch_hosts.trouble_since.
  since INTEGER NOT NULL,
  PRIMARY KEY (crawl, host, since)
) STRICT, WITHOUT ROWID;
