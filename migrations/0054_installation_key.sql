-- The installation's key, by which an owner's host names it (src/host/installation-keys.ts). One row, made when it is first needed.
CREATE TABLE installation_key (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  key TEXT NOT NULL
) STRICT;
