-- When the key file was last asked for, and how often it failed with an answer that may be better the next time. Keys wait in turn, so that one that
-- fails again and again holds up no other.
ALTER TABLE indexnow_keys ADD COLUMN tried_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE indexnow_keys ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;

-- The watches: a submission reads them, and no other crawls. A row more is written where a crawl becomes a watch.
CREATE INDEX crawls_watching ON crawls (watching_since) WHERE watching_since IS NOT NULL;
