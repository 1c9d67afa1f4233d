-- The id of a crawl that a schedule has claimed in another ledger and that may not be made yet; NULL for none. It costs
-- a row for each such start, twice; with one ledger nothing.
ALTER TABLE schedules ADD COLUMN starting TEXT;
