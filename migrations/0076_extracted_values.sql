-- The values that a model finds in the pages of crawls with `extract` (docs/extract.md). A page is one write more of its row. A million
-- pages with 1.5 kB of values and evidence are 1.5 GB of D1, or 1.10 USD a month. Other crawls have none.
-- JSON; NULL before a model was asked, and where nothing could be asked.
ALTER TABLE urls ADD COLUMN extracted TEXT;
-- The digest of the body for which it holds. A page with another one is asked about again.
ALTER TABLE urls ADD COLUMN extracted_of TEXT;
CREATE INDEX crawls_extract ON crawls (id) WHERE options ->> '$.extract' IS NOT NULL;
