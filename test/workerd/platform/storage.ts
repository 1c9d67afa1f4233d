import { env, runInDurableObject } from "cloudflare:test";

/**
 * A database for the model: the SQLite of a Durable Object, with the tables of the migrations. Its calls are
 * synchronous, and take some microseconds, where a call of the test's own D1 takes more than a millisecond.
 */

const TABLES =
  "SELECT name FROM pragma_table_list WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'";

/** Runs `test` in a Durable Object, and gives it that object's storage. */
export async function withStorage(test: (storage: DurableObjectStorage) => Promise<void>): Promise<void> {
  const object = env.HOST_GATE.get(env.HOST_GATE.idFromName("a database for the model"));
  await runInDurableObject(object, async (_, { storage }) => {
    const { sql } = storage;
    if (sql.exec(`${TABLES} AND name = 'crawls'`).toArray().length === 0) {
      for (const { queries } of env.TEST_MIGRATIONS) for (const query of queries) sql.exec(query);
    }
    await test(storage);
  });
}

/** Removes all rows. */
export function clear({ sql }: DurableObjectStorage): void {
  sql.exec("INSERT INTO search_words (search_words) VALUES ('delete-all')");
  sql.exec("INSERT INTO search_trigrams (search_trigrams) VALUES ('delete-all')");
  const names = sql.exec<{ name: string }>(TABLES).toArray();
  for (const { name } of names)
    if (!name.startsWith("search_words") && !name.startsWith("search_trigrams")) sql.exec(`DELETE FROM "${name}"`);
}
