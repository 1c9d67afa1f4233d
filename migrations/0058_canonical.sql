-- The canonical URL that a page names; NULL if it names none, and for pages that an earlier version stored. It is written
-- with the outcome of the page, so no row is read or written for it. Some 60 bytes a page that names one: 60 MB a million
-- pages.
ALTER TABLE urls ADD COLUMN canonical TEXT;
