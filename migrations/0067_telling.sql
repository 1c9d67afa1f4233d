-- How a webhook is told of changes: docs/webhooks.md. A webhook that gathers no digest writes nothing of this.

-- JSON with `digest`, `when` and `whenText`; NULL: each change, as it comes.
ALTER TABLE webhooks ADD COLUMN telling TEXT;
-- When its next digest is due. NULL: it gathers none.
ALTER TABLE webhooks ADD COLUMN digest_at INTEGER;
-- Until when its digests have told what changed on most pages at once.
ALTER TABLE webhooks ADD COLUMN digested_at INTEGER;
CREATE INDEX webhooks_digest ON webhooks (digest_at) WHERE digest_at IS NOT NULL;
