-- What the crawl has used of the platform, by resource (src/crawl/bounds/usage.ts): a JSON object of numbers.
ALTER TABLE crawls ADD COLUMN usage TEXT NOT NULL DEFAULT '{}';
