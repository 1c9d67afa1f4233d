-- Whose turn it is at the reader of documents. Crawls take turns, and so do the hosts of a crawl. A document costs five
-- rows written more: its entry in the index, its claim (both written and removed), and its crawl's turn. A page costs
-- none.
ALTER TABLE waiting_documents ADD COLUMN host TEXT NOT NULL DEFAULT ''; -- URL.host
-- Of the hint that led to it.
ALTER TABLE waiting_documents ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE waiting_documents ADD COLUMN ask_alone INTEGER NOT NULL DEFAULT 0;

UPDATE waiting_documents SET host = substr(url, instr(url, '://') + 3,
  instr(substr(url, instr(url, '://') + 3) || '/', '/') - 1);

CREATE INDEX waiting_documents_line ON waiting_documents (crawl, host, url);

-- Documents that are being read now, those whose reading failed before, and those that have settled and are still to be
-- removed from R2. There are about as many rows as readers.
CREATE TABLE document_claims (
  crawl TEXT NOT NULL,
  url TEXT NOT NULL,
  -- As in waiting_documents; -1 for a URL that is queued.
  visit INTEGER NOT NULL,
  -- Names the attempt that reads it; NULL while nobody does.
  claim TEXT,
  -- The process on this machine, so that claims of one that was killed end with it; NULL on Cloudflare.
  boot TEXT,
  -- Until then nobody else may take it.
  until INTEGER NOT NULL,
  -- 1 while it is read although its host or crawl hung the reader lately.
  is_behind INTEGER NOT NULL,
  -- How often it was taken.
  tries INTEGER NOT NULL,
  -- How often it ended its reader.
  deaths INTEGER NOT NULL,
  PRIMARY KEY (crawl, url, visit)
) STRICT, WITHOUT ROWID;

-- The last turn of each crawl: when it was, and which of its hosts had it.
CREATE TABLE document_turns (
  crawl TEXT NOT NULL PRIMARY KEY,
  host TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Hosts whose documents ended the reader in the last ten minutes. Older rows are removed with the next one.
CREATE TABLE document_hangs (
  crawl TEXT NOT NULL,
  host TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (crawl, host)
) STRICT, WITHOUT ROWID;
