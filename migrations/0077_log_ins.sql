-- Log-ins that are written down for sessions (src/store/installation/log-ins.ts). A row for each session that has one;
-- nothing is added to the rows of URLs.
CREATE TABLE log_ins (
  session TEXT PRIMARY KEY,
  -- A JSON object: the steps, with the names of secrets, and the hosts that they need beside the session's.
  steps TEXT NOT NULL,
  -- The values of the secrets, encrypted with the installation's SESSION_KEY.
  sealed TEXT NOT NULL,
  -- A keyed digest of who logs in where: log-ins are counted by it, whatever the session is called.
  account TEXT NOT NULL,
  per_day INTEGER NOT NULL,
  -- Until when somebody has it under way; NULL for nobody. Milliseconds since the Unix epoch.
  under_way_until INTEGER,
  -- The version of the session whose cookies a log-in has brought; NULL for none.
  brought_version INTEGER,
  -- When it was last done, and why it failed then.
  done_at INTEGER,
  failed_why TEXT
) STRICT, WITHOUT ROWID;

-- When accounts were logged in to; older rows than a day are removed.
CREATE TABLE log_in_times (
  seq INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX log_in_times_by_account ON log_in_times (account, at);
