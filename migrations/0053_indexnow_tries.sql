-- When the key file was last asked for, and how often it failed with an answer that may be better the next time. Keys wait in turn, so that one that
-- fails again and again holds up no other.
ALTER TABLE indexnow_keys ADD COLUMN tried_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE indexnow_keys ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;

-- The crawls that visit again: a submission reads them, and no others. Only what makes a crawl a watch, or changes how often it visits, writes a row
-- more: commits change no column of it.
CREATE INDEX crawls_watches ON crawls (every_s) WHERE every_s IS NOT NULL;
