import { env } from "cloudflare:test";

/** Removes all pages from the search index. */
export async function clearIndex(database: D1Database = env.LEDGER): Promise<void> {
  await database.batch(
    [
      "INSERT INTO search_words (search_words) VALUES ('delete-all')",
      "INSERT INTO search_trigrams (search_trigrams) VALUES ('delete-all')",
      "DELETE FROM search_pages",
    ].map((sql) => database.prepare(sql)),
  );
}
