-- How many batches of the crawl failed in a row because the installation's hook failed (src/frontier/hook/ask-hook.ts).
-- Written only for such a batch, and for the first good one after it.
ALTER TABLE crawls ADD COLUMN hook_failures INTEGER NOT NULL DEFAULT 0;
