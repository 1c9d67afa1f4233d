-- The language of a page as a canonical tag (BCP 47), as far as it is known. The column stands in a row that is written
-- anyway, so it costs no write.
ALTER TABLE urls ADD COLUMN language TEXT;
