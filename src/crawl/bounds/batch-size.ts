/** URLs of one batch: as many as an invocation may fetch, beside its calls of gates. See wrangler.toml. */
export const MAX_BATCH_URLS = 25;
