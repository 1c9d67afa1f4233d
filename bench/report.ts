/**
 * Plants faults in a manual, and counts by kind what the report finds, misses and says falsely.
 *
 *     npm run bench:report -- [--root DIR] [--each 2] [--seed N] [--linkinator FILE] [--linkchecker FILE]
 *
 * The manual is Debian's git-doc, or any folder of HTML. It is crawled twice on loopback: as it is, and with the
 * faults. Both times a second audit reads the files with another parser (report/audit-site.ts): what it finds and the
 * report lacks was missed, planted or not, and what the report has of the audit's kinds and the audit lacks is false.
 * `--linkinator` is the cli of an installed linkinator, and `--linkchecker` the program of Debian's package: they then
 * check the same planted site. Exits 1 if of any kind less than 98% are found, or if anything is false.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import Papa from "papaparse";
import type { FindingKind } from "../src/graph/problems/finding.ts";
import { startSite } from "../test/sites/site.ts";
import { Random } from "../test/workerd/platform/random.ts";
import { AUDITED, auditSite, fileOf, findingKey } from "./report/audit-site.ts";
import { listedOf, type PlantedSite, plantFaults, type Site } from "./report/plant-faults.ts";

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
  kind: FindingKind;
  /** Paths. */
  page: string;
  target?: string;
}

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".htm": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".png": "image/png",
  ".gif": "image/gif",
  ".jpg": "image/jpeg",
  ".svg": "image/svg+xml",
};
/** Of the faults of each kind. */
const LEAST = 0.98;

try {
  const pages = readManual(values.root);
  console.log(`${pages.size} pages of ${values.root}, seed ${values.seed}`);
  const sound: PlantedSite = {
    site: pages,
    listed: listedOf(pages),
    robots: "User-agent: *\nDisallow: /no-such-place/\n",
    planted: [],
  };
  const faulty = plantFaults(pages, Number(values.each), new Random(Number(values.seed)));
  const plain = judge(sound, await reportOf(sound, "plain"));
  tell(faulty, plain, judge(faulty, await reportOf(faulty, "planted")));
} finally {
  rmSync(dir, { recursive: true, force: true });
}

function readManual(root: string): Site {
  const site: Site = new Map();
  const folder = realpathSync(root);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) continue;
    const path = file.slice(folder.length);
    const bytes = readFileSync(file);
    const isPage = /\.html?$/.test(path);
    // Of compressed files and the like, what they are does not matter.
    site.set(path, {
      status: 200,
      body: isPage ? bytes.toString("utf8") : bytes,
      type: TYPES[extname(path)] ?? "text/plain",
    });
  }
  const pages = [...site.keys()].filter((path) => /\.html?$/.test(path));
  const links = pages.map((path) => `<li><a href="${encodeURI(path)}">The page ${path.slice(1, -5)}</a></li>`);
  const head = '<title>The manual</title><meta name="description" content="All pages.">';
  site.set("/", {
    status: 200,
    body: `<!doctype html><html lang="en"><head>${head}</head><body><h1>The manual</h1>${links.join("")}</body></html>`,
  });
  return site;
}

interface Judged {
  found: Finding[];
  wanted: ReadonlySet<string>;
  missed: string[];
  wrong: string[];
}

/** The report of a site beside a second audit of its files. */
function judge(site: PlantedSite, found: Finding[]): Judged {
  const wanted = auditSite(site);
  const settled = found.filter(({ kind }) => AUDITED.includes(kind));
  const keys = new Set(settled.map(({ kind, page, target }) => findingKey(kind, page, target)));
  const missed = [...wanted].filter((key) => !keys.has(key));
  return { found, wanted, missed, wrong: [...keys].filter((key) => !wanted.has(key)) };
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
    } = site.get(fileOf(path)) ?? {
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
    const local = (url: string) => (url.startsWith(server.origin) ? url.slice(server.origin.length) : url);
    return findings.map(({ kind, page, target = "" }) => ({ kind, page: local(page), target: local(target) }));
  } finally {
    await server.close();
  }
}

async function run(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, ["src/cli/main.js", ...args], { stdio: ["ignore", "pipe", "ignore"] });
  return text(child.stdout);
}

/** Whether the files say otherwise. Only kinds that plain patterns can judge. */
/** What of one site was planted, found, missed and false, by kind. */
interface Tally {
  planted: number;
  found: number;
  /** By the second audit, planted or not. */
  settled: number;
  missed: number;
  wrong: number;
}

function tell(faulty: PlantedSite, plain: Judged, planted: Judged): void {
  const had = new Set(planted.found.map(({ kind, page }) => `${kind} ${page}`));
  const tallies = new Map<string, Tally>();
  const tallyOf = (kind: string) => {
    const tally = tallies.get(kind) ?? { planted: 0, found: 0, settled: 0, missed: 0, wrong: 0 };
    tallies.set(kind, tally);
    return tally;
  };
  const kindOf = (key: string) => key.split(" ", 1)[0] as string;
  const lines: string[] = [];
  for (const { kind, page } of faulty.planted) {
    const tally = tallyOf(kind);
    tally.planted += 1;
    if (had.has(`${kind} ${page}`)) tally.found += 1;
    else lines.push(`not found: ${kind} ${page}`);
  }
  for (const [name, { wanted, missed, wrong }] of Object.entries({ plain, planted })) {
    for (const key of wanted) tallyOf(kindOf(key)).settled += 1;
    for (const key of missed) tallyOf(kindOf(key)).missed += 1;
    for (const key of wrong) tallyOf(kindOf(key)).wrong += 1;
    for (const key of missed.slice(0, 20)) lines.push(`missed, ${name}: ${key}`);
    for (const key of wrong.slice(0, 20)) lines.push(`false, ${name}: ${key}`);
  }
  const columns = ["planted", "found", "by the audit", "missed", "false"] as const;
  console.log(`| kind | ${columns.join(" | ")} |\n| --- | ${columns.map(() => "---:").join(" | ")} |`);
  for (const [kind, { planted, found, settled, missed, wrong }] of tallies)
    console.log(`| ${kind} | ${planted} | ${found} | ${settled} | ${missed} | ${wrong} |`);
  for (const line of lines) console.log(line);
  const all = [...tallies.values()];
  const sum = (of: (tally: Tally) => number) => all.reduce((total, tally) => total + of(tally), 0);
  const [found, total] = [sum((tally) => tally.found), sum((tally) => tally.planted)];
  console.log(`planted: ${found} of ${total} found`);
  console.log(`by the second audit: ${sum(({ missed }) => missed)} of ${sum(({ settled }) => settled)} missed`);
  console.log(
    `findings: ${plain.found.length} plain, ${planted.found.length} planted; false: ${sum(({ wrong }) => wrong)}`,
  );
  const isBad = ({ planted, found, settled, missed, wrong }: Tally) =>
    found < LEAST * planted || missed > (1 - LEAST) * settled || wrong > 0;
  if (all.some(isBad)) process.exitCode = 1;
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
