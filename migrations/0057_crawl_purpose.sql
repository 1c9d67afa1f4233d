-- What a crawl was made for, if it is no crawl to those who look: 'scrape' or 'map', of Firecrawl's paths. NULL: a
-- crawl. Nothing more is written or read for it.
ALTER TABLE crawls ADD COLUMN purpose TEXT;
