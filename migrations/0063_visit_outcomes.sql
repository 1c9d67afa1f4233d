-- What a watch remembers of a page between two visits. They are written with the row, and have no index: a page whose
-- answers agree has NULL in two of them.

-- When its last complete answer came: a 304 is none. NULL: with the stored one.
ALTER TABLE urls ADD COLUMN full_at INTEGER;
-- What the last visits in a row found that must last before it counts, such as a temporary redirect: JSON with `says`
-- and `visits`.
ALTER TABLE urls ADD COLUMN open_finding TEXT;
-- The places of the page whose links, pictures or data differ from visit to visit: JSON, up to some hundred bytes.
ALTER TABLE urls ADD COLUMN restless TEXT;
-- When a page of the host last had another text under the validators of an earlier one. NULL: never.
ALTER TABLE watch_hosts ADD COLUMN lied_at INTEGER;
