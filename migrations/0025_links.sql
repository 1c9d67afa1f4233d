-- The links of each page that was read, with their words, are kept in the pack of its batch, never in this database. A
-- row names the record that holds those of the page as it is now; all pages of a batch have the same one.
ALTER TABLE urls ADD COLUMN links_pack TEXT;
ALTER TABLE urls ADD COLUMN links_offset INTEGER;
ALTER TABLE urls ADD COLUMN links_length INTEGER;
