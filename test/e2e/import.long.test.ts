import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { CrawlDetail } from "../../src/api/views.ts";
import type { Summary } from "../../src/cli/output/summary.ts";
import { callApi } from "./api-calls.ts";
import { run, start } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** `orbweaver import` of a longer archive: killed and begun again, and what follows from its pages. */

const shared = shareServer();
const PAGES = 900;
const orbweaver = (...args: string[]) => run(...args, ...shared.served.remote);

function writeArchive(name: string): string {
  const path = join(shared.dir.path, name);
  const members = Array.from({ length: PAGES }, (_, i) => {
    const links = [2 * i + 1, 2 * i + 2].map((to) => `<a href="/p/${to}">page ${to}</a>`).join(" ");
    const body = `<!doctype html><html lang="en"><title>Page ${i}</title><main><h1>Page ${i}</h1><p>Otter number ${i} lives in ${name}.</p>${links}</main>`;
    const http = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n${body}`;
    const head = `WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://kept.test/p/${i}\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: ${Buffer.byteLength(http)}\r\n\r\n`;
    return gzipSync(`${head}${http}\r\n\r\n`);
  });
  writeFileSync(path, Buffer.concat(members));
  return path;
}

async function newest(): Promise<CrawlDetail> {
  const { stdout } = await orbweaver("status", "latest", "--json");
  return JSON.parse(stdout) as CrawlDetail;
}

test.each([
  ["killed", "SIGKILL"],
  ["stopped", "SIGINT"],
] as const)("an import that is %s goes on, and ends with the same set", async (name, signal) => {
  const archive = writeArchive(`${name}.warc.gz`);
  const first = start("import", archive, ...shared.served.remote);
  await first.printed("started");
  const id = /Import (\S+) started/.exec(await first.printed("started"))?.[1] ?? "";
  // The rest of the import takes some seconds, and a command may take longer to start.
  const finished = async () => (await callApi<CrawlDetail>(shared.served, "GET", `/api/crawls/${id}`)).finished;
  await expect.poll(finished, { interval: 20 }).toBeGreaterThan(0);
  first.child.kill(signal);
  const { stdout, code } = await first.ended;
  if (signal === "SIGINT") expect([code, stdout]).toEqual([1, expect.stringContaining("Stopped; nothing is lost.")]);
  const half = await newest();
  expect(half).toMatchObject({ id, status: "paused", purpose: "import" });
  expect(half.finished).toBeLessThan(PAGES);
  expect((await orbweaver("resume", id)).stderr).toContain("fetches nothing, so it cannot be resumed");

  const { stdout: summary, stderr } = await orbweaver("import", archive, "--json");
  expect(stderr).toContain(`Import ${id} goes on`);
  expect(JSON.parse(summary) as Summary).toMatchObject({ id, status: "completed", total: PAGES, completed: PAGES });
  expect((await orbweaver("import", archive)).stdout).toContain(`was imported before, as crawl ${id}`);
});

test("an imported crawl is analysed, exported and imported again", async () => {
  const archive = writeArchive("whole.warc.gz");
  const { id } = JSON.parse((await orbweaver("import", archive, "--json")).stdout) as Summary;
  await orbweaver("analyze", id);
  const inlinks = await orbweaver("inlinks", "http://kept.test/p/3", "--crawl", id);
  expect(inlinks.stdout).toContain("http://kept.test/p/1");
  const report = await orbweaver("report", id, "--format", "json");
  expect(JSON.parse(report.stdout)).toBeTypeOf("object");
  const copy = join(shared.dir.path, "copy.wacz");
  await orbweaver("export", id, "--format", "wacz", "--out", copy);
  const again = JSON.parse((await orbweaver("import", copy, "--json")).stdout) as Summary;
  expect(again.id).not.toBe(id);
  expect(again).toMatchObject({ total: PAGES, completed: PAGES });
  const sums = async (crawl: string) =>
    (await orbweaver("records", crawl)).stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { url: string; sha256: string; fetchedAt: string })
      .map(({ url, sha256, fetchedAt }) => `${url} ${sha256} ${fetchedAt}`);
  expect(await sums(again.id)).toEqual(await sums(id));
});
