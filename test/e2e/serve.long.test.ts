import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Client } from "../../src/cli/installation/client.ts";
import { startGeneratedSite } from "../sites/generated-site.ts";
import { scratch, serve, start } from "./cli.ts";
import { killAll } from "./kill-all.ts";

/** What `serve` does after a kill. kill.long.test.ts kills the commands that crawl. */

const dir = scratch();

afterAll(() => dir.remove());

test("a crawl that was killed with its server goes on as soon as another one starts", {
  timeout: 200_000,
}, async () => {
  const site = await startGeneratedSite({ pages: 40, links: 5, bytes: 1_000, delayMs: 50 });
  const state = join(dir.path, "killed");
  const first = start("serve", "--port", "0", "--token", "new", "--state", state);
  const address = /http:\/\/[\d.:]+/.exec(await first.printed("Try:"))?.[0] ?? "";
  const body = { url: `${site.origin}/`, politeness: { minDelayMs: 0 }, limit: 100 };
  const init = { method: "POST", headers: { authorization: "Bearer new" }, body: JSON.stringify(body) };
  const { result } = (await (await fetch(`${address}/api/crawls`, init)).json()) as { result: { id: string } };
  while (site.log.length < 10) await new Promise((resolve) => setTimeout(resolve, 5));
  await killAll(first);

  const second = await serve(state);
  const restartedAt = performance.now();
  const client = new Client(second.address, second.token);
  while ((await client.crawl(result.id)).status === "running") await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await client.crawl(result.id)).toMatchObject({ status: "completed", counts: { completed: 40 } });
  // The first heartbeat comes after a minute.
  expect(performance.now() - restartedAt).toBeLessThan(50_000);
  await second.close();
  await site.close();
});
