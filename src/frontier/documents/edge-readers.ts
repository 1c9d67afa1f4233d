/** Documents that are read at the same time on Cloudflare: max_concurrency of their queue in wrangler.toml. */
export const EDGE_READERS = 4;
