import { readdirSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import type { Summary } from "../../src/cli/output/summary.ts";
import { HTML, page, redirect } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { tinyPdf } from "../sites/tiny-pdf.ts";
import { copyLedgerTemplate, type Ended, readRecords, scratch, startWith } from "./cli.ts";

/** The page fetcher in a process of its own gives what it gives in the crawler's, and may be killed. */

const dir = scratch();
const sites: Site[] = [];
let crawls = 0;

afterAll(async () => {
  await Promise.all(sites.map((site) => site.close()));
  dir.remove();
});

const pdf = Buffer.from(tinyPdf("The manual", ["A page about looms."]));
/** Some six megabytes. */
const table = Buffer.from(Array.from({ length: 400_000 }, (_, row) => `${row},thread ${row}`).join("\n"));

/** A page links to the next ones. Documents come with a length and without, whole and broken off. */
async function startMixedSite(pages: number): Promise<Site> {
  const site = await startSite(({ url = "/" }, response) => {
    const number = Number(/^\/p(\d+)$/.exec(url)?.[1] ?? (url === "/" ? 0 : Number.NaN));
    const documents = ["/manual.pdf", "/table.csv", "/broken.pdf", "/latin", "/moved", "/large", "/gone"];
    const next = Array.from({ length: 10 }, (_, i) => number * 10 + i + 1).filter((each) => each < pages);
    const links = [...(number === 0 ? documents : []), ...next.map((each) => `/p${each}`)];
    if (!Number.isNaN(number)) response.writeHead(200, HTML).end(page(`Page ${number}`, ...links));
    else if (url === "/manual.pdf")
      response.writeHead(200, { "content-type": "application/pdf", "content-length": pdf.byteLength }).end(pdf);
    else if (url === "/table.csv")
      response.writeHead(200, { "content-type": "text/csv", "content-encoding": "gzip" }).end(gzipSync(table));
    else if (url === "/broken.pdf") {
      response.writeHead(200, { "content-type": "application/pdf", "content-length": 2_000_000 });
      response.write(Buffer.concat([pdf, Buffer.alloc(1_000_000, " ")]), () => response.destroy());
    } else if (url === "/latin")
      response
        .writeHead(200, { "content-type": "text/html; charset=iso-8859-1" })
        .end(Buffer.from(page("Caf\u00e9"), "latin1"));
    else if (url === "/moved") response.writeHead(302, redirect("/p1").headers).end();
    else if (url === "/large") response.writeHead(200, HTML).end(page("Large").padEnd(3_000_000, " word"));
    else response.writeHead(404).end();
  });
  sites.push(site);
  return site;
}

interface Crawled {
  ended: Ended;
  /** The log of its workerd. */
  log: string;
  /** The temporary files that are left. */
  left: string[];
  records: Record<string, unknown>[];
}

/** `onLog` sees the log while the crawl goes on. */
async function crawlWith(
  fetcher: "off" | "always",
  site: Site,
  flags: string[],
  onStarted?: (log: () => string) => Promise<void>,
): Promise<Crawled> {
  const folder = join(dir.path, `${crawls++}`);
  const [state, out, temporary] = ["state", "out", "tmp"].map((name) => join(folder, name)) as [string, string, string];
  await mkdir(temporary, { recursive: true });
  copyLedgerTemplate(state);
  const variables = { ORBWEAVER_FETCHER: fetcher, TMPDIR: temporary };
  const args = ["crawl", `${site.origin}/`, "--delay", "0", "--json", "--markdown", ...flags];
  const running = startWith(variables, [...args, "--state", state, "--out", out]);
  const log = () => readFileSync(join(state, "logs", "workerd.log"), "utf8");
  await onStarted?.(log);
  const ended = await running.ended;
  const left = readdirSync(temporary).filter((name) => name.startsWith("orbweaver-fetcher"));
  return { ended, log: log(), left, records: readRecords(out).map((record) => ({ ...record })) };
}

/** What does not depend on when and in which order pages came. */
function comparable(records: Crawled["records"], { origin }: Site): unknown[] {
  const told = ["url", "status", "reason", "httpStatus", "title", "contentType", "bytes", "sha256", "truncated"];
  return records
    .map((record) => told.map((name) => String(record[name]).replace(origin, "")))
    .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
}

test.concurrent("a crawl has the same records, documents included, and leaves nothing behind", {
  timeout: 300_000,
}, async () => {
  const here = await startMixedSite(60);
  const there = await startMixedSite(60);
  const [alone, beside] = await Promise.all([crawlWith("off", here, []), crawlWith("always", there, [])]);
  expect(alone.log).not.toContain("The fetcher process");
  expect(beside.log).toMatch(/The fetcher process \d+ has started\./);
  expect(beside.log).not.toContain("fetcher-process-lost");
  expect(comparable(beside.records, there)).toEqual(comparable(alone.records, here));
  const whole = beside.records.filter(({ status }) => status === "completed");
  expect(whole.length).toBeGreaterThan(60);
  const table = (records: Crawled["records"]) => records.find(({ url }) => String(url).endsWith("/table.csv"));
  expect(table(beside.records)).toMatchObject({ status: "completed", bytes: table(alone.records)?.bytes });
  expect(beside.left).toEqual([]);
  // No document is asked for more often. Some pages are, as examples of their pattern, which are drawn.
  const documents = (site: Site) => [...site.counts()].filter(([path]) => !/^\/p\d/.test(path)).sort();
  expect(documents(there)).toEqual(documents(here));
});

test.concurrent.each(["SIGKILL", "SIGSTOP"] as const)(
  "a crawl goes on after %s of its fetcher process",
  {
    timeout: 300_000,
  },
  async (signal) => {
    const pages = 400;
    const site = await startMixedSite(pages);
    const { ended, log } = await crawlWith(
      "always",
      site,
      ["--concurrency", "4", "--keep-endless", "--timeout", "2"],
      async (log) => {
        while (site.log.length < 100) await new Promise((resolve) => setTimeout(resolve, 5));
        process.kill(Number(/The fetcher process (\d+) has started/.exec(log())?.[1]), signal);
      },
    );
    const summary = JSON.parse(ended.stdout) as Summary;
    expect(log).toContain("fetcher-process-lost");
    // Pages, the two documents that are whole, and those that are no plain page.
    expect(summary).toMatchObject({ status: "completed", completed: pages + 4 });
  },
);
