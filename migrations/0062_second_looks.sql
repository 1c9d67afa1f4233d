-- Second looks of a watch at a host, on the last day that had one (days since 1970). They are counted where the host's template stands.
ALTER TABLE templates ADD COLUMN look_day INTEGER;
ALTER TABLE templates ADD COLUMN looks INTEGER NOT NULL DEFAULT 0;
-- When the page said last what it says again since this change: milliseconds since the epoch. NULL: what it says is new.
ALTER TABLE changes ADD COLUMN back_to INTEGER;
