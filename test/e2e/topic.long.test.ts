import { afterAll, beforeAll, expect, test } from "vitest";
import type { ExplainView, TopicView } from "../../src/api/views.ts";
import { startOtterWeb } from "../sites/otter-web.ts";
import type { Site } from "../sites/site.ts";
import { allowPrivateHosts } from "./allow-private.ts";
import { crawl, type OutRecord, run } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** `crawl --topic`, on a web of three hosts: one on the subject, one off it, and one that leads to both. */

allowPrivateHosts();

const OTTERS = 60;
const INVOICES = 320;
const shared = shareServer();
let start: Site;
let otters: Site;
let invoices: Site;

beforeAll(async () => {
  ({ start, otters, invoices } = await startOtterWeb({ otters: OTTERS, invoices: INVOICES }));
  shared.sites.push(start, otters, invoices);
});

let records: OutRecord[] = [];
let id = "";

afterAll(() => {
  records = [];
});

test("relevant pages come first, and the crawl ends when there are too few", async () => {
  const { ended, summary, ...found } = await crawl(
    shared.dir.path,
    `${start.origin}/`,
    ...["--topic", "otters in rivers", "--until", "0.3", "--delay", "0", "--concurrency", "4"],
    ...shared.served.remote,
  );
  id = summary.id;
  records = found.records.toSorted((a, b) => Date.parse(a.fetchedAt ?? "") - Date.parse(b.fetchedAt ?? ""));
  expect([ended.code, summary.status, summary.relevant]).toEqual([0, "cancelled_due_to_limits", OTTERS]);
  const completed = records.filter(({ status }) => status === "completed");
  expect(completed.length).toBeLessThan(1 + OTTERS + INVOICES);
  const last = completed.findLastIndex(({ relevance }) => (relevance ?? 0) >= 0.5);
  // Others come between them only while the crawl waits for links.
  expect(last).toBeLessThan(2 * OTTERS + 20);
  expect(completed.filter(({ url }) => url.startsWith(otters.origin))).toHaveLength(OTTERS);
  const rest = records.filter(({ status }) => status === "cancelled");
  expect(new Set(rest.map(({ reason }) => reason))).toEqual(new Set(["topic-exhausted"]));
  const status = await run("status", id, ...shared.served.remote);
  expect(status.stdout).toContain("It ended because fewer than 30% of the last 200 pages were relevant.");
});

test("explain says why a link was put where it was", async () => {
  const { stdout } = await run("explain", `${otters.origin}/p5`, "--crawl", id, "--json", ...shared.served.remote);
  const step = (JSON.parse(stdout) as ExplainView).steps.find((each) => each.step === "subject");
  expect(step).toMatchObject({ ok: true, rule: expect.stringMatching(/^priority [1-9]\d+$/) });
  expect(step?.detail).toContain(`the page that links to it, ${otters.origin}/p2, has 0.`);
  expect(step?.detail).toContain('the words of the link ("Part 5")');
  expect(step?.detail).toContain(`the pages of its host ${otters.origin.slice(7)} had 0.`);
  const off = await run("explain", `${invoices.origin}/p2`, "--crawl", id, ...shared.served.remote);
  expect(off.stdout).toContain("off the subject");
});

test("the subject, its records and its export are shown", async () => {
  const topic = JSON.parse((await run("focus", id, "--json", ...shared.served.remote)).stdout) as TopicView;
  expect(topic).toMatchObject({ words: "otters in rivers", relevant: OTTERS, until: 0.3 });
  expect(topic.hosts[0]?.host).toBe(otters.origin.slice(7));
  const lines = async (...args: string[]) =>
    (await run(...args, "--min-relevance", "0.5", ...shared.served.remote)).stdout.trim().split("\n");
  const relevant = (await lines("records", id)).map((line) => JSON.parse(line) as OutRecord);
  expect(relevant).toHaveLength(OTTERS);
  expect(relevant.every(({ url, relevance }) => url.startsWith(otters.origin) && (relevance ?? 0) >= 0.5)).toBe(true);
  expect(await lines("export", id, "--format", "jsonl")).toHaveLength(OTTERS);
  expect(await lines("export", id, "--format", "csv")).toHaveLength(OTTERS + 1);
  const plain = await run("focus", id, ...shared.served.remote);
  expect(plain.stdout).toMatch(/^Subject: otters in rivers\.\n60 of \d+ pages relevant/);
});

test("a crawl without a subject has none to show, and what does not go together is refused", async () => {
  const { summary, byUrl } = await crawl(shared.dir.path, `${start.origin}/`, "--delay", "0", ...shared.served.remote);
  expect(summary.relevant).toBeNull();
  expect(byUrl.get(`${start.origin}/`)).toMatchObject({ relevance: null, priority: 900 });
  const topic = await run("focus", summary.id, ...shared.served.remote);
  expect([topic.code, topic.stderr]).toEqual([1, expect.stringContaining("--topic WORDS")]);
  const until = await run("crawl", `${start.origin}/`, "--until", "0.1", ...shared.served.remote);
  expect([until.code, until.stderr]).toEqual([expect.any(Number), expect.stringContaining("give topic")]);
});
