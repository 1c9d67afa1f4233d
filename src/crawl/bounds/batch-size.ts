/** URLs of one message, which a lane of one host takes together where nobody else waits. */
export const MAX_MESSAGE_URLS = 12;
/**
 * URLs of one batch, which is two messages: as many as an invocation may fetch, beside its calls of gates. See
 * wrangler.toml.
 */
export const MAX_BATCH_URLS = 24;
