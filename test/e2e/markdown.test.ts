import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FormattedRecordView } from "../../src/api/views.ts";
import { page, startHandmadeSite } from "../sites/handmade-site.ts";
import type { Site } from "../sites/site.ts";
import { crawl, type OutRecord, readRecords, run, type Served, scratch, serve, start } from "./cli.ts";

/** `--markdown`: a file of it beside each page, or in the installation for later. */

const dir = scratch();
const QUICK = ["--delay", "0", "--concurrency", "8"];
const TITLES: Record<string, string> = {
  "/": "Home: the \"first\" page, and it's 'quoted'",
  "/a.html": "# no: comment &amp; &lt;b&gt;",
  "/a.html.md": "--- url: elsewhere",
  "/Case": "大文字 🪵",
  "/case": "",
};
let site: Site;
let served: Served;

beforeAll(async () => {
  served = await serve(join(dir.path, "served"));
  const links = [...Object.keys(TITLES), "/missing"];
  site = await startHandmadeSite(
    Object.fromEntries(Object.entries(TITLES).map(([path, title]) => [path, page(title, ...links)])),
  );
});

afterAll(async () => {
  await served.close();
  await site.close();
  dir.remove();
});

/** The front matter of a file, read as the lines of JSON strings that it is, and what follows it. */
function readMarkdown(path: string): { front: Record<string, string>; markdown: string } {
  const [, lines = "", markdown = ""] =
    /^---\n((?:\w+: [^\n]*\n)*)---\n\n?(.*)$/s.exec(readFileSync(path, "utf8")) ?? [];
  const fields = lines.split("\n").slice(0, -1);
  const front = fields.map((line): [string, string] => {
    const colon = line.indexOf(": ");
    return [line.slice(0, colon), JSON.parse(line.slice(colon + 2)) as string];
  });
  return { front: Object.fromEntries(front), markdown };
}

function expectMarkdown(out: string, records: OutRecord[]): void {
  const completed = records.filter(({ status }) => status === "completed");
  expect(completed).toHaveLength(Object.keys(TITLES).length);
  const files = completed.flatMap(({ file, markdownFile }) => [file, markdownFile ?? null]);
  expect(new Set(files.map((file) => file?.toLowerCase())).size).toBe(2 * completed.length);
  for (const { url, title, fetchedAt, file, markdownFile } of completed) {
    expect(markdownFile).toBe(`${file}~.md`);
    const { front } = readMarkdown(join(out, markdownFile ?? ""));
    expect(front).toEqual({ url, fetchedAt, ...(title === null ? {} : { title }) });
    const path = url.slice(site.origin.length);
    expect(readFileSync(join(out, file ?? ""), "utf8")).toContain(`<title>${TITLES[path]}</title>`);
  }
  expect(records.find(({ url }) => url.endsWith("/missing"))).toMatchObject({ file: null, markdownFile: null });
}

test("--out has a .md beside each page, the records say where, and `records` prints the same", async () => {
  const out = join(dir.path, "with-out", "out");
  const flags = [...QUICK, "--markdown", ...served.remote];
  const { records, byUrl, summary, ended } = await crawl(join(dir.path, "with-out"), `${site.origin}/`, ...flags);
  expectMarkdown(out, records);
  expect(ended.stderr).toContain("Wrote 5 pages, each with its Markdown, and records.jsonl");
  const what = ["--formats", "markdown,headers", "--status", "completed"];
  const lines = (await run("records", summary.id, ...what, ...served.remote)).stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(Object.keys(TITLES).length);
  for (const line of lines) {
    const { url, markdown, headers } = JSON.parse(line) as FormattedRecordView;
    const file = readMarkdown(join(out, byUrl.get(url)?.markdownFile ?? ""));
    expect(file.markdown.trimEnd()).toBe(markdown?.trimEnd());
    expect(headers).toHaveProperty("content-type");
  }
});

test("without --markdown there is none, and the records do not speak of it", async () => {
  const { records } = await crawl(join(dir.path, "without"), `${site.origin}/`, ...QUICK, ...served.remote);
  expect(records.some((record) => "markdownFile" in record)).toBe(false);
});

test("without --out the summary says how to get it, and resume writes it without being told", async () => {
  const state = join(dir.path, "resumed");
  const first = start("crawl", `${site.origin}/`, "--delay", "1", "--markdown", "--state", state);
  const before = site.log.length;
  while (site.log.length < before + 4) await new Promise((resolve) => setTimeout(resolve, 10));
  first.child.kill("SIGINT");
  const { stdout } = await first.ended;
  const id = /resume (\S+)/.exec(stdout)?.[1] ?? "";
  expect(stdout).toContain(`export ${id} --format markdown --state ${state}\n`);
  const out = join(dir.path, "resumed-out");
  expect((await run("resume", id, "--out", out, "--state", state)).code).toBe(0);
  expectMarkdown(out, readRecords(out));
});

test("formats that there are not are refused with their names", async () => {
  const { code, stderr } = await run("records", "x", "--formats", "pdf", ...served.remote);
  expect([code, stderr]).toEqual([2, expect.stringContaining("formats")]);
});
