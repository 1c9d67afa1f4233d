import { env } from "cloudflare:test";

/** Empties the index, whatever a test before left in it. */
export async function clearIndex(): Promise<void> {
  await env.LEDGER.batch(
    [
      "INSERT INTO search_words (search_words) VALUES ('delete-all')",
      "INSERT INTO search_trigrams (search_trigrams) VALUES ('delete-all')",
      "DELETE FROM search_pages",
    ].map((sql) => env.LEDGER.prepare(sql)),
  );
}
