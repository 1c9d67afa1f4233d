-- Deleting crawls: docs/architecture.md, src/store/installation/deletions.ts.

-- A crawl that is being deleted is shown nowhere; from this time on its rows and objects are removed. NULL: it is not being deleted.
ALTER TABLE crawls ADD COLUMN deleting_at INTEGER;
CREATE INDEX crawls_deleting ON crawls (deleting_at) WHERE deleting_at IS NOT NULL;

-- Days after its end at which the heartbeat deletes the crawl; 0 is never.
ALTER TABLE crawls ADD COLUMN retention_days INTEGER NOT NULL DEFAULT 0;
CREATE INDEX crawls_retention ON crawls (finished_at) WHERE retention_days > 0;
