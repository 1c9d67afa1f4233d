-- How fresh a watch is, and when its pages are due: JSON of less than 20 kB. The heartbeat reads each row twenty times
-- per mean interval for it: for a million visits, 20 million rows read, or 0.02 USD. A row is written per reading.
ALTER TABLE crawls ADD COLUMN survey TEXT;
