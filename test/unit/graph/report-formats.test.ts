import fc from "fast-check";
import { parseHTML } from "linkedom";
import { expect, test } from "vitest";
import type { ComparedFinding } from "../../../src/graph/problems/compare-findings.ts";
import { makeFinding, orderFindings } from "../../../src/graph/problems/finding.ts";
import { countFinding, type ReportHead } from "../../../src/graph/report/report.ts";
import { REPORT_FORMATS, type ReportFormat } from "../../../src/graph/report/report-formats.ts";
import { readCsv } from "../../read-csv.ts";

const HOME = "https://a.test/";
const FINDINGS: ComparedFinding[] = [
  ...["one", "two"].map((text) =>
    makeFinding("broken-link", { page: HOME, target: `${HOME}gone`, text, place: "content", detail: "status 404" }),
  ),
  makeFinding("redirect-chain", { page: `${HOME}x`, target: HOME, hops: [`${HOME}y`, HOME] }),
  makeFinding("title-duplicate", { page: HOME, text: "=Same" }),
  makeFinding("title-duplicate", { page: `${HOME}z`, text: "=Same" }),
]
  .sort(orderFindings)
  .map((finding, i) => ({ ...finding, change: i === 0 ? "new" : i === 2 ? "mended" : "still" }) as const);

function headOf(findings: ComparedFinding[]): ReportHead {
  const counts: ReportHead["counts"] = {};
  for (const finding of findings) countFinding(counts, finding);
  const times = { finishedAt: "2026-11-22T00:00:00.000Z", comparedWith: "2026-11-21T00:00:00.000Z" };
  return {
    site: "a.test",
    crawl: "c1",
    ...times,
    pages: 3,
    links: 9,
    counts,
    leftOut: ["5 fragments are not checked."],
  };
}

async function write(format: ReportFormat, findings: ComparedFinding[], head = headOf(findings)): Promise<string> {
  let report = "";
  for await (const part of REPORT_FORMATS[format].write(head, findings)) report += part;
  return report;
}

test("Markdown has a count for each kind, and all pages of a target under its name", async () => {
  expect(await write("md", FINDINGS)).toBe(`# Site report: a.test

Crawl c1, analyzed 2026-11-22T00:00:00.000Z: 3 pages, 9 links.
Compared with the analysis of 2026-11-21T00:00:00.000Z.
5 fragments are not checked.

| Finding | Severity | Found | New | Still | Mended |
| --- | --- | ---: | ---: | ---: | ---: |
| Broken links | error | 2 | 1 | 1 | 0 |
| Redirect chains | warning | 0 | 0 | 0 | 1 |
| Duplicate titles | warning | 2 | 0 | 2 | 0 |

## Broken links

Links to URLs of the site that cannot be read. Correct the link, or remove it.

### [https://a.test/gone](https://a.test/gone)

- [https://a.test/](https://a.test/), **new**, “one”, content, status 404
- [https://a.test/](https://a.test/), **still**, “two”, content, status 404

## Redirect chains

URLs that reach a page after two redirects or more. Redirect to the last URL at once, and link to it.

### [https://a.test/](https://a.test/)

- [https://a.test/x](https://a.test/x), **mended**, over [https://a.test/y](https://a.test/y)

## Duplicate titles

Pages that share their title with another page. Give each page a title of its own.

### =Same

- [https://a.test/](https://a.test/), **still**
- [https://a.test/z](https://a.test/z), **still**
`);
});

test("CSV has a row for each finding, without formulas", async () => {
  const [columns = [], ...rows] = readCsv(await write("csv", FINDINGS));
  const objects = rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])));
  expect(objects.shift()).toMatchObject({ kind: "not-judged", detail: "5 fragments are not checked." });
  expect(objects[0]).toEqual({
    change: "new",
    severity: "error",
    kind: "broken-link",
    page: HOME,
    target: `${HOME}gone`,
    text: "one",
    place: "content",
    hops: "",
    detail: "status 404",
    id: FINDINGS[0]?.id,
  });
  expect(objects[2]).toMatchObject({ hops: `${HOME}y ${HOME}`, change: "mended" });
  expect(objects[3]).toMatchObject({ text: "'=Same" });
});

test("JSON has the head and each finding with its severity", async () => {
  const { findings, ...head } = JSON.parse(await write("json", FINDINGS));
  expect(head).toEqual(headOf(FINDINGS));
  expect(findings[2]).toEqual({ ...FINDINGS[2], severity: "warning" });
  expect(JSON.parse(await write("json", [])).findings).toEqual([]);
});

test("each number of the HTML report leads to its list, and each finding to its page", async () => {
  const { document } = parseHTML(await write("html", FINDINGS));
  const targets = [...document.querySelectorAll(".summary a")].map((a) => a.getAttribute("href"));
  expect(targets).toEqual(["#broken-link", "#redirect-chain", "#title-duplicate"]);
  const sections = targets.map((id) => document.querySelector(`section${id}`));
  expect(sections.map((section) => section?.querySelectorAll("tr.still, tr.new, tr.mended").length)).toEqual([2, 1, 2]);
  expect(sections.map((section) => section?.querySelectorAll("tr.group").length)).toEqual([1, 1, 1]);
  const pages = [...document.querySelectorAll("td:first-child a")].map((a) => a.getAttribute("href"));
  expect(pages).toEqual(FINDINGS.map(({ page }) => page));
  expect(document.querySelector(".group th")?.textContent).toBe(`${HOME}gone`);
  expect(await write("html", [])).toContain("There are no findings.");
});

test.each(["md", "html"] as const)("a first report in %s marks nothing as new", async (format) => {
  const report = await write(format, FINDINGS.slice(0, 1), { ...headOf(FINDINGS.slice(0, 1)), comparedWith: null });
  expect(report).toContain("Broken links");
  expect(report.replace(/<style>.*?<\/style>/s, "")).not.toMatch(/New|Mended|>new<|\*\*new/);
});

const HOSTILE = [
  "<script>alert(1)</script>",
  "</style><img src=x onerror=alert(1)>",
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  "javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "]]>--><!--",
  "&lt;script&gt;",
  "[a](javascript:alert(1))",
  "line\n# heading\n- item",
  "a | b",
  "\u202etxet\u0000",
];
const hostile = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary" }));
const hostileReport = fc.record({ page: hostile, target: hostile, text: hostile, detail: hostile }).map((facts) => {
  const finding = {
    ...makeFinding("broken-link", { ...facts, hops: [facts.text, facts.page] }),
    change: "new" as const,
  };
  const head = { ...headOf([finding]), site: facts.text, leftOut: [facts.detail] };
  return { head, findings: [finding] };
});

test("hostile words add no element, no attribute and no link to the HTML report", async () => {
  const plain = makeFinding("broken-link", { page: "a", target: "b", text: "c", detail: "d", hops: ["e", "f"] });
  const shape = shapeOf(await write("html", [{ ...plain, change: "new" }]));
  await fc.assert(
    fc.asyncProperty(hostileReport, async ({ head, findings }) => {
      const report = await write("html", findings, head);
      expect(shapeOf(report).replaceAll(LINK, "$1")).toBe(shape);
    }),
  );
});

const LINK = /<a href="https?:[^">]*" rel="noopener noreferrer nofollow">(<bdi><\/bdi>)<\/a>/gi;

/** The tags of a document but for line breaks, with their attributes and without any text. */
function shapeOf(html: string): string {
  return [...html.replace(/<style>.*?<\/style>/s, "").matchAll(/<[^>]*>/g)]
    .map(([tag]) => tag)
    .join("")
    .replaceAll("<br>", "");
}

test("hostile words stay text in Markdown", async () => {
  for (const text of HOSTILE) {
    const finding = { ...makeFinding("broken-link", { page: text, target: text, text }), change: "new" as const };
    const report = await write("md", [finding], { ...headOf([finding]), site: text });
    expect(report).not.toMatch(/(?<!\\)<(?:script|img|svg)|(?<!\\)\]\(javascript:|^# heading|^- item/m);
  }
});

test("JUnit has a suite for each kind, and fails for errors and warnings that are there", async () => {
  const xml = await write("junit", FINDINGS);
  expect(xml).toContain('<testsuite name="not-judged" tests="1" failures="0" errors="0" skipped="1">');
  expect(xml).toContain('<testsuite name="Broken links" tests="2" failures="2" errors="0">');
  // What was mended passes.
  expect(xml).toContain('<testsuite name="Redirect chains" tests="1" failures="0" errors="0">');
  expect([xml.match(/<failure /g)?.length, xml.match(/<testcase /g)?.length]).toEqual([4, 6]);
  expect(xml.match(/(?<=<system-out>)\w+/g)).toEqual(["new", "still", "mended", "still", "still"]);
  const hostile = await write("junit", [{ ...FINDINGS[0], text: '\0<a>&"\ud800\u00a0' } as ComparedFinding]);
  expect(hostile).toContain("\ufffd&lt;a&gt;&amp;&quot;\ufffd");
  expect(hostile).not.toContain("&nbsp;");
});

test("SARIF has a rule for each kind and a result for each finding, with what became of it", async () => {
  const { version, runs } = JSON.parse(await write("sarif", FINDINGS));
  const [{ tool, results, invocations }] = runs;
  expect([version, runs.length, tool.driver.rules.map(({ id }: { id: string }) => id)]).toEqual([
    "2.1.0",
    1,
    ["broken-link", "redirect-chain", "title-duplicate"],
  ]);
  expect(results.map(({ level, baselineState }: Record<string, string>) => `${level} ${baselineState}`)).toEqual([
    "error new",
    "error unchanged",
    "warning absent",
    "warning unchanged",
    "warning unchanged",
  ]);
  expect(invocations[0].toolExecutionNotifications).toHaveLength(1);
});
