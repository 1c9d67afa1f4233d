-- Whether a pass asks for the URLs of other sites that pages link to. A crawl has at most three rows here.
ALTER TABLE passes ADD COLUMN check_external INTEGER NOT NULL DEFAULT 0;
