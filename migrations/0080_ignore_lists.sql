-- Findings of a site's reports that somebody has decided to leave as they are (src/store/passes/ignore-lists.ts). One row for each site with such a list.
CREATE TABLE ignore_lists (
  -- The seeds of its crawls, sorted, with spaces between them.
  seeds TEXT PRIMARY KEY,
  -- As it was written: src/graph/problems/ignore-list.ts.
  list TEXT NOT NULL,
  -- Milliseconds since the Unix epoch.
  changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
