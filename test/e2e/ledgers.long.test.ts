import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { CrawlView, Health } from "../../src/api/views.ts";
import { page, startHandmadeSite } from "../sites/handmade-site.ts";
import { copyLedgerTemplate, crawl, run, scratch, serve, start } from "./cli.ts";

/** The crawls in each database of a state folder, without those of empty ones. */
function crawlsIn(state: string): string[][] {
  const folder = join(state, "v3", "d1", "miniflare-D1DatabaseObject");
  const files = readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
  const ids = files.map((name) => {
    const database = new DatabaseSync(join(folder, name), { readOnly: true });
    const rows = database.prepare("SELECT id FROM crawls ORDER BY id").all() as { id: string }[];
    database.close();
    return rows.map(({ id }) => id);
  });
  return ids.filter((list) => list.length > 0);
}

test("a state folder of one ledger goes on, and the ledgers that are added take new crawls", async () => {
  const dir = scratch();
  const state = join(dir.path, "state");
  const site = await startHandmadeSite({
    "/": page("home", "/a", "/b"),
    "/a": page("a word: crawlers"),
    "/b": page("another word: spiders"),
  });
  const fast = [`${site.origin}/`, "--delay", "0", "--source", "links", "--search"];
  try {
    copyLedgerTemplate(state);
    const before = await crawl(dir.path, ...fast);
    expect(before.summary.completed).toBe(3);
    expect(crawlsIn(state)).toHaveLength(1);

    const { remote, close, address, token } = await serve(state, "--ledgers", "3");
    const later: string[] = [];
    try {
      for (let i = 0; i < 3; i++) {
        const { summary, byUrl } = await crawl(dir.path, ...fast, ...remote);
        expect(summary.completed).toBe(3);
        expect([...byUrl.keys()].toSorted()).toEqual(["/", "/a", "/b"].map((path) => site.origin + path));
        later.push(summary.id);
      }
      const all = [before.summary.id, ...later].toSorted();
      const list = await run("list", "--json", ...remote);
      expect((JSON.parse(list.stdout) as CrawlView[]).map(({ id }) => id).toSorted()).toEqual(all);
      const shown = await run("list", ...remote);
      for (const name of ["LEDGER:", "LEDGER_1:", "LEDGER_2:"]) expect(shown.stdout).toContain(name);
      const health = await fetch(`${address}/api/health`, { headers: { authorization: `Bearer ${token}` } });
      const { result } = (await health.json()) as { result: Health };
      expect(result.ledgers.map(({ name, answers }) => [name, answers])).toEqual(
        ["LEDGER", "LEDGER_1", "LEDGER_2"].map((name) => [name, true]),
      );
      for (const id of all) {
        const status = await run("status", id.slice(0, 8), ...remote);
        expect([status.code, status.stdout]).toEqual([0, expect.stringContaining("3 pages")]);
        const lines = await run("records", id, ...remote);
        expect(lines.stdout.trim().split("\n")).toHaveLength(3);
        const urls = await run("export", id, "--format", "csv", ...remote);
        expect(urls.stdout).toContain(`${site.origin}/a`);
        const analyzed = await run("analyze", id, ...remote);
        expect(analyzed.code).toBe(0);
        const report = await run("report", id, ...remote);
        expect([report.code, report.stderr]).toEqual([0, ""]);
      }
      const [, watched = ""] = later;
      const watch = start("watch", watched, "--every", "1h", ...remote);
      await watch.printed("Its pages are visited again");
      watch.child.kill("SIGINT");
      expect(await watch.ended).toMatchObject({ code: 0 });
      expect((await run("status", watched, ...remote)).stdout).toContain("Watched since");
      const found = await run("search", "spiders", ...remote);
      expect(found.stdout).toContain(`${site.origin}/b`);
      const [gone = ""] = later;
      expect((await run("delete", gone, "--yes", ...remote)).code).toBe(0);
      expect((await run("status", gone, ...remote)).code).not.toBe(0);
    } finally {
      await close();
    }
    expect(crawlsIn(state).length).toBeGreaterThanOrEqual(2);
    // Every later command binds them, without the option.
    const after = await run("status", later[2] ?? "", "--state", state);
    expect([after.code, after.stdout]).toEqual([0, expect.stringContaining("3 pages")]);
    const fewer = await run("serve", "--port", "0", "--state", state, "--ledgers", "2");
    expect([fewer.code, fewer.stderr]).toEqual([1, expect.stringContaining("none of them can be taken away")]);
  } finally {
    await site.close();
    dir.remove();
  }
});
