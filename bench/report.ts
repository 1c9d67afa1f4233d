/**
 * Plants faults in a manual, and counts by kind what the report finds, misses and says falsely.
 *
 *     npm run bench:report -- [--root DIR] [--each 2] [--seed N] [--linkinator FILE] [--linkchecker FILE]
 *
 * The manual is Debian's git-doc, or any folder of HTML. It is crawled twice on loopback: as it is, and with the
 * faults. A finding of the second report is false if neither a fault nor the first report has it; one of the first is
 * false if a second look at the files, by plain patterns, contradicts it. `--linkinator` is the cli of an installed
 * linkinator, and `--linkchecker` the program of Debian's package: they then check the same planted site. Exits 1
 * below 98% found, or if anything is false.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import Papa from "papaparse";
import { startSite } from "../test/sites/site.ts";
import { Random } from "../test/workerd/platform/random.ts";
import { type PlantedSite, plantFaults, type Site } from "./report/plant-faults.ts";

const { values } = parseArgs({
  options: {
    root: { type: "string", default: "/usr/share/doc/git/html" },
    each: { type: "string", default: "2" },
    seed: { type: "string", default: String(Date.now() % 100_000) },
    linkinator: { type: "string" },
    linkchecker: { type: "string" },
  },
});
if (!existsSync(values.root)) throw new Error(`There is no ${values.root}. Install git-doc, or name a folder: --root.`);
const dir = mkdtempSync(join(tmpdir(), "orbweaver-report-"));

interface Finding {
  kind: string;
  page: string;
  target?: string;
}

try {
  const pages = readManual(values.root);
  console.log(`${pages.size} pages of ${values.root}, seed ${values.seed}`);
  const sound: PlantedSite = {
    site: pages,
    listed: [...pages.keys()],
    robots: "User-agent: *\nDisallow: /no-such-place/\n",
    planted: [],
  };
  const faulty = plantFaults(pages, Number(values.each), new Random(Number(values.seed)));
  const before = await reportOf(sound, "plain");
  const after = await reportOf(faulty, "planted");
  const contradicted = before.filter((finding) => contradicts(finding, pages));
  tell(faulty, before, after, contradicted);
} finally {
  rmSync(dir, { recursive: true, force: true });
}

function readManual(root: string): Site {
  const site: Site = new Map();
  for (const name of readdirSync(root).filter((file) => file.endsWith(".html")))
    site.set(`/${name}`, { status: 200, body: readFileSync(join(root, name), "utf8") });
  const links = [...site.keys()].map((path) => `<li><a href="${path}">The page ${path.slice(1, -5)}</a></li>`);
  const head = '<title>The manual</title><meta name="description" content="All pages.">';
  site.set("/", {
    status: 200,
    body: `<!doctype html><html lang="en"><head>${head}</head><body><h1>The manual</h1>${links.join("")}</body></html>`,
  });
  return site;
}

async function reportOf({ site, listed, robots }: PlantedSite, name: string): Promise<Finding[]> {
  const server = await startSite(async ({ url = "" }, response) => {
    const path = new URL(url, "http://site.invalid").pathname;
    if (path === "/robots.txt") return void response.end(robots);
    if (path === "/sitemap.xml") {
      const entries = listed.map((each) => `<url><loc>${server.origin}${each}</loc></url>`).join("");
      response.setHeader("content-type", "application/xml");
      return void response.end(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries}</urlset>`);
    }
    const {
      status,
      body,
      type = "text/html; charset=utf-8",
      location,
      delayMs = 0,
    } = site.get(path) ?? {
      status: 404,
      body: "not found",
    };
    await sleep(delayMs);
    response.writeHead(status, { "content-type": type, ...(location === undefined ? {} : { location }) });
    response.end(body);
  });
  try {
    const place = ["--state", join(dir, name)];
    const crawled = await run("crawl", `${server.origin}/`, "--delay", "0", "--limit", "5000", "--json", ...place);
    const { id } = JSON.parse(crawled) as { id: string };
    const report = await run("report", id, "--format", "json", ...place);
    const { findings } = JSON.parse(report) as { findings: Finding[] };
    if (name === "planted" && values.linkinator !== undefined) await askLinkinator(server.origin, values.linkinator);
    if (name === "planted" && values.linkchecker !== undefined) await askLinkchecker(server.origin, values.linkchecker);
    return findings.map((finding) => ({ ...finding, page: finding.page.replace(server.origin, "") }));
  } finally {
    await server.close();
  }
}

async function run(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, ["src/cli/main.js", ...args], { stdio: ["ignore", "pipe", "ignore"] });
  return text(child.stdout);
}

/** Whether the files say otherwise. Only kinds that plain patterns can judge. */
function contradicts({ kind, page, target = "" }: Finding, site: Site): boolean {
  const body = site.get(page)?.body ?? "";
  const path = URL.parse(target)?.pathname ?? "";
  const count = (pattern: RegExp) => body.match(pattern)?.length ?? 0;
  switch (kind) {
    case "broken-link":
      return site.has(decodeURIComponent(path));
    case "broken-fragment": {
      const id = decodeURIComponent(target.split("#")[1] ?? "");
      return [`id="${id}"`, `name="${id}"`].some((each) => site.get(path)?.body.includes(each));
    }
    case "title-missing":
      return /<title>\s*\S/.test(body);
    case "description-missing":
      return /<meta[^>]+name="description"/i.test(body);
    case "h1-missing":
      return /<h1[^>]*>\s*\S/i.test(body);
    case "h1-multiple":
      return count(/<h1[\s>]/gi) < 2;
    case "image-alt-missing":
      return count(/<img\b(?![^>]*\balt=)/gi) === 0;
    case "vague-link-text":
      return count(/<a\b/gi) === 0;
    case "sitemap-missing":
    case "sitemap-broken":
    case "redirect":
    case "redirect-chain":
    case "canonical-multiple":
      return true;
    default:
      return false;
  }
}

function tell({ planted }: PlantedSite, before: Finding[], after: Finding[], contradicted: Finding[]): void {
  const keyOf = ({ kind, page }: Finding) => `${kind} ${page}`;
  const had = new Set(before.map(keyOf));
  const found = new Set(after.map(keyOf));
  const wanted = new Set(planted.map(keyOf));
  const kinds = [...new Set(planted.map(({ kind }) => kind))];
  let total = 0;
  console.log("kind                      planted  found  missed");
  for (const kind of kinds) {
    const ofKind = planted.filter((each) => each.kind === kind);
    const seen = ofKind.filter((each) => found.has(keyOf(each))).length;
    total += seen;
    console.log(
      `${kind.padEnd(26)}${[ofKind.length, seen, ofKind.length - seen].map((n) => String(n).padStart(7)).join(" ")}`,
    );
  }
  for (const each of planted) if (!found.has(keyOf(each))) console.log(`missed: ${keyOf(each)}`);
  // A fault may bring others with it, on the pages and URLs that it made.
  const touched = new Set(planted.map(({ page }) => page));
  const extra = after.filter((each) => !had.has(keyOf(each)) && !wanted.has(keyOf(each)));
  const untouched = extra.filter(({ page }) => !touched.has(page) && !page.startsWith("/planted/"));
  console.log(`found: ${total} of ${planted.length} (${((total / planted.length) * 100).toFixed(1)}%)`);
  console.log(`findings on the plain manual: ${before.length}, contradicted by its files: ${contradicted.length}`);
  for (const each of contradicted.slice(0, 10)) console.log(`false: ${keyOf(each)} ${each.target ?? ""}`);
  console.log(`new findings on pages without a fault: ${untouched.length}`);
  for (const each of untouched.slice(0, 10)) console.log(`beside: ${keyOf(each)} ${each.target ?? ""}`);
  if (total / planted.length < 0.98 || contradicted.length > 0) process.exitCode = 1;
}

/** How many URLs linkinator calls broken on the planted site. It checks links and files, and nothing else. */
async function askLinkinator(origin: string, cli: string): Promise<void> {
  const args = [cli, `${origin}/`, "--recurse", "--check-fragments", "--format", "json"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  const { links } = JSON.parse(await text(child.stdout)) as {
    links: { url: string; state: string; parent?: string }[];
  };
  tellBroken(
    "linkinator",
    links.length,
    links.filter(({ state }) => state === "BROKEN").map(({ url }) => url),
  );
}

/** Likewise linkchecker, by its CSV: a line for each link, with all that it has checked. */
async function askLinkchecker(origin: string, program: string): Promise<void> {
  const args = ["--verbose", "--no-warnings", "--no-status", "--output", "csv/utf_8", `${origin}/`];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"] });
  const csv = (await text(child.stdout)).split("\n").filter((line) => !line.startsWith("#"));
  const { data } = Papa.parse<Record<string, string>>(csv.join("\n"), { header: true, delimiter: ";" });
  const links = data.filter(({ url = "" }) => url !== "");
  const broken = links.filter(({ valid }) => valid === "False").map(({ url = "" }) => url);
  tellBroken("linkchecker", links.length, broken);
}

function tellBroken(checker: string, links: number, broken: readonly string[]): void {
  console.log(`${checker}: ${new Set(broken).size} broken URLs, ${links} links looked at`);
  for (const word of ["gone-", ".png", ".webp", ".js", ".mp4", ".css"])
    console.log(`  ${word}: ${new Set(broken.filter((url) => url.includes("/planted/") && url.includes(word))).size}`);
}
