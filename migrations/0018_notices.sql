-- Webhooks and their deliveries: docs/webhooks.md, src/store/notices/outbox.ts. A crawl without webhooks has no row in either table.

CREATE TABLE webhooks (
  crawl TEXT NOT NULL,
  id TEXT NOT NULL,
  url TEXT NOT NULL,
  -- The origin of the URL. Notices to one origin share a limit.
  receiver TEXT NOT NULL,
  -- A JSON array of event names; NULL is all events.
  events TEXT,
  -- "whsec_" and base64. Only what signs a notice reads it.
  secret TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  -- When a receiver refused all further notices, and why; NULL while it gets them.
  disabled_at INTEGER,
  disabled_why TEXT,
  PRIMARY KEY (crawl, id)
) STRICT, WITHOUT ROWID;

-- The outbox: what a webhook is told, in the order of the ids. A statement of the transaction that settles an event writes the row.
CREATE TABLE deliveries (
  crawl TEXT NOT NULL,
  -- The `webhook-id` of every attempt.
  id TEXT NOT NULL,
  webhook TEXT NOT NULL,
  receiver TEXT NOT NULL,
  event TEXT NOT NULL,
  -- The message as it is sent.
  body TEXT NOT NULL,
  -- waiting, delivered or given-up.
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  made_at INTEGER NOT NULL,
  -- The next attempt; while one is under way, the end of its lease. NULL once it is delivered or given up.
  due_at INTEGER,
  -- The name of the attempt that is under way.
  lease INTEGER,
  -- No attempt begins later.
  give_up_at INTEGER NOT NULL,
  ended_at INTEGER,
  -- The last attempt, and what came of it.
  last_at INTEGER,
  http_status INTEGER,
  detail TEXT,
  PRIMARY KEY (crawl, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX deliveries_due ON deliveries (receiver, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_ended ON deliveries (ended_at) WHERE ended_at IS NOT NULL;
