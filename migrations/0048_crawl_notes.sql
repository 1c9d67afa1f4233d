-- What is only shown of a crawl: a CrawlNotes in JSON (src/store/ledger/crawl-notes.ts). A table of D1 has up to 100 columns.
-- `last_url`, `waiting_for`, `last_failure` and `failed_at` stay for code of before this migration, and for rows that it
-- wrote.
ALTER TABLE crawls ADD COLUMN notes TEXT NOT NULL DEFAULT '{}';
