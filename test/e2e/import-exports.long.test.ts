import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { zipSync } from "fflate";
import { beforeAll, describe, expect, test } from "vitest";
import type { FormattedRecordView } from "../../src/api/views.ts";
import type { Summary } from "../../src/cli/output/summary.ts";
import { type Site, startSite } from "../sites/site.ts";
import { tinyPdf } from "../sites/tiny-pdf.ts";
import { run } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** `orbweaver import`: a crawl of an archive is the crawl that the archive was made of, and nothing is fetched. */

const shared = shareServer();
let site: Site;
let crawled: FormattedRecordView[];

const page = (title: string, ...links: string[]) =>
  `<!doctype html><html lang="en"><head><title>${title}</title><link rel="stylesheet" href="/style.css"></head><body><main><h1>${title}</h1>
<p>The ${title.toLowerCase()} of the otters lies behind the old mill, where the river is slow.</p>${links.map((link) => `<a href="${link}">to ${link}</a>`).join(" ")}<img src="/p.png"></main></body></html>`;

const orbweaver = (...args: string[]) => run(...args, ...shared.served.remote);
const fileOf = (name: string) => join(shared.dir.path, name);

async function recordsOf(id: string): Promise<FormattedRecordView[]> {
  const { stdout } = await orbweaver("records", id, "--formats", "markdown,text,links");
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as FormattedRecordView);
}

async function importFiles(...args: string[]): Promise<Summary> {
  const { stdout, stderr, code } = await orbweaver("import", ...args, "--json");
  if (code !== 0) throw new Error(`${code}: ${stderr}`);
  return JSON.parse(stdout) as Summary;
}

beforeAll(async () => {
  site = await startSite(({ url = "/" }, response) => {
    const send = (type: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
      void response.writeHead(200, { "content-type": type, ...headers }).end(body);
    if (url === "/")
      return send("text/html; charset=utf-8", page("Home", "/lodge", "/gone", "/moved", "/guide.pdf", "/data.json"));
    if (url === "/lodge") return send("text/html", gzipSync(page("Lodge", "/")), { "content-encoding": "gzip" });
    if (url === "/moved") return void response.writeHead(301, { location: "/lodge" }).end();
    if (url === "/style.css") return send("text/css", "h1 { color: green }");
    if (url === "/p.png") return send("image/png", Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a));
    if (url === "/guide.pdf") return send("application/pdf", tinyPdf("Guide", ["Guide to otters"]));
    if (url === "/data.json") return send("application/json", '{"otters": 7}');
    response.writeHead(404, { "content-type": "text/html" }).end(page("Nothing"));
  });
  shared.sites.push(site);
  const { stdout } = await orbweaver(
    ...["crawl", `${site.origin}/`, "--store", "warc", "--assets", "--search", "--delay", "0", "--json"],
  );
  const { id } = JSON.parse(stdout) as Summary;
  crawled = await recordsOf(id);
  await orbweaver("export", id, "--format", "warc", "--out", fileOf("site.warc.gz"));
  await orbweaver("export", id, "--format", "wacz", "--out", fileOf("site.wacz"));
  await site.close();
  site.log.length = 0;
});

/** What an archive says of a URL. */
const seen = ({
  url,
  status,
  reason,
  httpStatus,
  title,
  contentType,
  bytes,
  sha256,
  fetchedAt,
  markdown,
  text,
  links,
  asset,
}: FormattedRecordView) => ({
  ...{ url, status, reason, httpStatus, title, contentType, bytes, sha256, fetchedAt, markdown, text, asset },
  links: links?.map((link) => link.url),
});

describe("an export of ours", () => {
  test.each(["site.warc.gz", "site.wacz"])("%s gives the same pages, assets and failures", async (name) => {
    const summary = await importFiles(fileOf(name));
    expect(summary).toMatchObject({ status: "completed", skipped: 1 });
    const imported = (await recordsOf(summary.id)).filter(({ url }) => !/robots.txt|sitemap|llms/.test(url));
    expect(imported.map(seen)).toEqual(crawled.map(seen));
    expect(site.log).toEqual([]);
  });
});

describe("a list of changedetection.io", () => {
  test("gives a watch of each page, once, and says what it lacks", async () => {
    const pages = await startSite(
      (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end(page("Watched")),
    );
    shared.sites.push(pages);
    const watching = {
      a: {
        url: `${pages.origin}/a`,
        time_between_check: { days: 1 },
        subtractive_selectors: ["nav"],
        trigger_text: ["x"],
      },
      b: { url: `${pages.origin}/b`, paused: true },
      c: { url: `${pages.origin}/c`, include_filters: ["h1"], ignore_text: ["Posted"] },
    };
    const list = fileOf("changedetection-backup.zip");
    writeFileSync(
      list,
      zipSync({
        "url-watches.json": Buffer.from(JSON.stringify({ watching })),
        "secret.txt": Buffer.from("x"),
        "url-list.txt": Buffer.from("x"),
      }),
    );
    const planned = await orbweaver("import", list, "--dry-run");
    expect(planned.stdout).toContain("2 watches would be made, 1 left out");
    const made = await orbweaver("import", list, "--json");
    const found = JSON.parse(made.stdout) as {
      url: string;
      id: string | null;
      everyS: number;
      lacks: string[];
      problem: string | null;
    }[];
    expect(found.map(({ everyS, problem, lacks }) => [everyS, problem, lacks])).toEqual([
      [86_400, null, ["text that triggers"]],
      [10_800, "it is paused there", []],
      [10_800, null, ["a filter by elements: their content is a field, and the rest of the page is watched too"]],
    ]);
    const { stdout } = await orbweaver("status", found[0]?.id ?? "", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      urls: [`${pages.origin}/a`],
      options: { limit: 1, depth: 0, watch: { everyS: 86_400, ignore: { selectors: ["nav"] } } },
    });
    const again = await orbweaver("import", list);
    expect(again.stdout).toContain(`left out, because watch ${found[0]?.id} has it already`);
    expect(again.stdout).toContain("0 watches made, 3 left out");
  });
});
