-- How a webhook is told, where a client of Firecrawl's API made it (src/crawl/watch/notice.ts): JSON; NULL is our own form. The
-- column stands in rows that are written anyway, so it costs nothing.
ALTER TABLE webhooks ADD COLUMN style TEXT;
