import { applyD1Migrations, env, evictDurableObject, listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { clearIndex } from "./clear-index.ts";
import "./silence-log.ts";

/** All test files run in one workerd, one after the other. Each starts with empty storage: `reset` can leave rows. */

await applyD1Migrations(env.LEDGER, env.TEST_MIGRATIONS);
await clearIndex();
const { results } = await env.LEDGER.prepare(
  "SELECT name FROM pragma_table_list WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*' AND name <> 'd1_migrations'",
).all<{ name: string }>();
await env.LEDGER.batch([
  env.LEDGER.prepare("PRAGMA defer_foreign_keys = on"),
  ...results.map(({ name }) => env.LEDGER.prepare(`DELETE FROM "${name}"`)),
]);
for (;;) {
  const { objects } = await env.MIRROR.list();
  if (objects.length === 0) break;
  await env.MIRROR.delete(objects.map(({ key }) => key));
}
for (const id of await listDurableObjectIds(env.HOST_GATE)) {
  const gate = env.HOST_GATE.get(id);
  await runInDurableObject(gate, (_, { storage }) => storage.deleteAll());
  await evict(gate);
}

/** workerd waits some seconds for what holds a gate. On a busy machine what the last file left behind takes longer. */
async function evict(gate: DurableObjectStub, tries = 20): Promise<void> {
  try {
    await evictDurableObject(gate);
  } catch (error) {
    if (tries === 1 || !String(error).includes("still has active references")) throw error;
    await evict(gate, tries - 1);
  }
}
