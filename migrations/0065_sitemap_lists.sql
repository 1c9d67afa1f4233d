-- Where a pack has the URLs that a sitemap lists, as it has the links of a page. A million pages have some 20 sitemaps,
-- so this costs nothing beside what is written of them anyway.
ALTER TABLE sitemaps ADD COLUMN links_pack TEXT;
ALTER TABLE sitemaps ADD COLUMN links_offset INTEGER;
ALTER TABLE sitemaps ADD COLUMN links_length INTEGER;
