-- What the pages of a crawl have in common (src/passes/template/learn-template.ts), learned once when it has ended: one
-- row written for a crawl, whatever its size, and one object in R2. A heartbeat looks for crawls without one as it looks
-- for stalled ones: it reads the rows of all crawls.
-- The end of the crawl after which it was learned; NULL before.
ALTER TABLE crawls ADD COLUMN template_end INTEGER;
-- The object with the template; NULL if the pages have nothing in common.
ALTER TABLE crawls ADD COLUMN template TEXT;

-- The URL after which texts of the crawl's search index still have what its pages have in common; NULL if none do. A
-- page whose text becomes shorter costs three rows written, or five with a script without spaces.
ALTER TABLE crawls ADD COLUMN search_left TEXT;
CREATE INDEX crawls_search_left ON crawls (id) WHERE search_left IS NOT NULL AND deleting_at IS NULL;
