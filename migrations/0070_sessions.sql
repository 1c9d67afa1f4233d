-- Sessions: what somebody has brought to read pages behind a log-in (src/store/installation/sessions.ts). A few rows for each installation; nothing is added to
-- the rows of URLs. A crawl names its session in its options.
CREATE TABLE sessions (
  name TEXT PRIMARY KEY,
  -- A JSON array of the hosts to which it goes: a host, host:port, or *.suffix.
  hosts TEXT NOT NULL,
  -- Cookies and headers, encrypted with the installation's SESSION_KEY (src/store/installation/seal.ts).
  sealed TEXT NOT NULL,
  cookies INTEGER NOT NULL,
  headers INTEGER NOT NULL,
  -- How a page looks with it; empty if nobody has said.
  signed_in TEXT NOT NULL,
  -- 1: it was brought for one crawl, and is removed with it.
  temporary INTEGER NOT NULL,
  -- Raised each time that somebody brings it again.
  version INTEGER NOT NULL,
  -- Raised by every change of `sealed`, so that of two writers one begins again.
  turn INTEGER NOT NULL,
  -- Milliseconds since the Unix epoch.
  added_at INTEGER NOT NULL,
  seen_at INTEGER,
  signed_out_at INTEGER,
  -- Why it counts as signed out, for people.
  signed_out_why TEXT,
  -- A JSON object: by host, a page that was last seen signed in.
  proofs TEXT NOT NULL DEFAULT '{}',
  -- A JSON array of the pages that asked to log in: {"crawl", "url", "version"}. The newest fifty.
  asked TEXT NOT NULL DEFAULT '[]'
) STRICT, WITHOUT ROWID;
