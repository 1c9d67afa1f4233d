-- What pages show but are not: images, styles, scripts and fonts, of crawls that keep them (docs/architecture.md). They have rows and counters like pages, and
-- count towards no page limit: so the counters say how many of theirs are assets.
ALTER TABLE urls ADD COLUMN asset INTEGER NOT NULL DEFAULT 0;

ALTER TABLE crawls ADD COLUMN assets_pending INTEGER NOT NULL DEFAULT 0;
ALTER TABLE crawls ADD COLUMN assets_queued INTEGER NOT NULL DEFAULT 0;
ALTER TABLE crawls ADD COLUMN assets_completed INTEGER NOT NULL DEFAULT 0;
