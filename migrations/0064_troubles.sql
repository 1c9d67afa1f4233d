-- What a watch holds back as trouble (docs/watch.md). A watch whose pages answer well writes nothing of this.

-- The answers of pages that lately lost their text: by them, pages of a host that turn alike are found. A row for each
-- such page, removed when it is older than the watch's interval.
CREATE TABLE answer_marks (
  crawl TEXT NOT NULL,
  host TEXT NOT NULL,
  url TEXT NOT NULL,
  -- A JSON array of digests.
  marks TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (crawl, host, url)
) STRICT, WITHOUT ROWID;

-- Pages that keep failing while their host is well. A row stays until the page answers.
CREATE TABLE page_troubles (
  crawl TEXT NOT NULL,
  url TEXT NOT NULL,
  since INTEGER NOT NULL,
  why TEXT NOT NULL,
  PRIMARY KEY (crawl, url)
) STRICT, WITHOUT ROWID;

-- What was found at the host last, in words.
ALTER TABLE watch_hosts ADD COLUMN why TEXT;
-- Ten pages that were lost, and a fifth of the visits; of a small host three, and half of the visits.
ALTER TABLE watch_hosts ADD COLUMN in_trouble INTEGER GENERATED ALWAYS AS (
  (lost + lost_before >= 10 AND 5 * (lost + lost_before) >= visits + visits_before)
  OR (lost + lost_before >= 3 AND 2 * (lost + lost_before) >= visits + visits_before)) VIRTUAL;
