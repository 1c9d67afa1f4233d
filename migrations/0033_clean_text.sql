-- Whether a pass leaves repeated text out of the crawl's search index. A crawl has at most three rows here.
ALTER TABLE passes ADD COLUMN reindex INTEGER NOT NULL DEFAULT 0;
