-- Fields that rules read from pages (docs/fields.md). Both columns stand in rows that are written anyway, so they cost no write. A million
-- pages with ten fields of 30 characters are some 400 MB of D1, or 0.30 USD a month.
-- The values by name: JSON of at most 8,000 characters; NULL for a page without rules.
ALTER TABLE urls ADD COLUMN fields TEXT;
-- The fields that a change of a page concerns, with their values before and after: JSON; NULL if there are none.
ALTER TABLE changes ADD COLUMN fields TEXT;
