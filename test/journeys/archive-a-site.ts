import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { unzipSync } from "fflate";
import { parseHTML } from "linkedom";
import { type OutRecord, readRecords } from "../e2e/cli.ts";
import { killAll } from "../e2e/kill-all.ts";
import { HTML, page } from "../sites/handmade-site.ts";
import { startSite } from "../sites/site.ts";
import type { Journey } from "./journey.ts";

/** An archivist copies a site with its images and styles, is killed on the way, and hands the copy on. */

const PAGES = 120;
/** A kill costs at most the batch in flight. */
const MAX_REPEATED = 25;
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGP4z8AAQQxwFgBB0gX7h/C5SAAAAABJRU5ErkJggg==",
  "base64",
);
const STYLE = 'body { background: url("/dot.png?ground") }';

const pathOf = (number: number) => (number === 0 ? "/" : `/rooms/${number % 10}/${number}?view=full`);

function roomOf(number: number): string {
  const links = [2 * number + 1, 2 * number + 2].filter((next) => next < PAGES).map(pathOf);
  const head = '<link rel="stylesheet" href="/style.css"></head>';
  return page(`Room ${number}`, "/", ...links)
    .replace("</head>", head)
    .replace("</body>", '<img src="/dot.png" alt=""></body>');
}

const ANSWERS = new Map<string, [type: string, body: string | Buffer]>([
  ...Array.from({ length: PAGES }, (_, i): [string, [string, string]] => [
    pathOf(i),
    [HTML["content-type"], roomOf(i)],
  ]),
  ["/style.css", ["text/css", STYLE]],
  ["/dot.png", ["image/png", PNG]],
  ["/dot.png?ground", ["image/png", PNG]],
]);

const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");

export async function archiveASite(journey: Journey): Promise<void> {
  const half = Promise.withResolvers<void>();
  const killed = Promise.withResolvers<void>();
  const hold = async (nth: number) => {
    if (nth <= PAGES / 2) return;
    half.resolve();
    await killed.promise;
  };
  const site = await startSite(
    ({ url = "" }, response) => {
      const [type, body] = ANSWERS.get(url) ?? [];
      if (type === undefined) return void response.writeHead(404, HTML).end("not found");
      response.writeHead(200, { "content-type": type }).end(body);
    },
    { hold },
  );
  journey.sites.push(site);

  await journey.step(`orbweaver crawl ${site.origin}/ --assets --delay 0 --out copy, until SIGKILL`, async () => {
    const crawl = journey.start(`crawl ${site.origin}/ --assets --delay 0 --out copy`);
    const end = await Promise.race([half.promise, crawl.ended]);
    assert.equal(end, undefined, `it ended: ${JSON.stringify(end)}`);
    await killAll(crawl);
    killed.resolve();
  });
  await journey.run("resume --out copy", ({ stdout }) => {
    assert.match(stdout, new RegExp(`Completed: ${PAGES} pages`));
    const records = readRecords(join(journey.home, "copy")).filter(({ status }) => status === "completed");
    expectWhole(records, site.origin, (file) => readFileSync(join(journey.home, "copy", file)));
    const repeated = [...site.counts()].filter(([path, times]) => ANSWERS.has(path) && times > 1);
    assert(repeated.length <= MAX_REPEATED, `${repeated.length} were asked for again`);
  });
  await journey.run("export latest --format wacz --out site.wacz", () => {
    const files = unzipSync(readFileSync(join(journey.home, "site.wacz")));
    const text = (path: string) => Buffer.from(files[path] ?? "").toString();
    const { resources } = JSON.parse(text("datapackage.json")) as { resources: { path: string; hash: string }[] };
    for (const { path, hash } of resources) assert.equal(hash, `sha256:${sha256(files[path] ?? "")}`);
    const [, ...pages] = text("pages/pages.jsonl").trim().split("\n");
    assert.deepEqual(
      pages.map((line) => (JSON.parse(line) as { url: string }).url).toSorted(),
      Array.from({ length: PAGES }, (_, i) => site.origin + pathOf(i)).toSorted(),
    );
  });
  await journey.run("export latest --format folder --out offline", () => {
    const links = localLinks(join(journey.home, "offline", "pages"));
    assert(links.length > 3 * PAGES, `${links.length} links`);
    assert.deepEqual(
      links.filter(({ href }) => !href.startsWith("file:") || !existsSync(fileURLToPath(href))),
      [],
    );
  });
}

function expectWhole(records: OutRecord[], origin: string, read: (file: string) => Buffer): void {
  assert.deepEqual(
    records.map(({ url }) => url).toSorted(),
    [...ANSWERS.keys()].map((path) => origin + path).toSorted(),
  );
  for (const { url, file } of records) {
    const [, body = ""] = ANSWERS.get(url.slice(origin.length)) ?? [];
    assert.equal(sha256(read(file ?? "")), sha256(body), url);
  }
}

/** What the pages of a folder refer to, without fragments and queries. */
function localLinks(folder: string): { from: string; href: string }[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));
  return files.flatMap((name) => {
    const from = join(folder, name);
    const { document } = parseHTML(readFileSync(from, "utf8"));
    return [...document.querySelectorAll("[href], [src]")].map((element) => {
      const { href } = new URL(element.getAttribute("href") ?? element.getAttribute("src") ?? "", pathToFileURL(from));
      return { from: name, href: href.replace(/[?#].*/, "") };
    });
  });
}
