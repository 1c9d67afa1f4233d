/** A site of texts that change over time: what the pipeline's run is served. */
import { spawnSync } from "node:child_process";
import { type GeneratedSite, generateHistory } from "./generated-history.ts";
import { type GitPage, readGitHistory } from "./git-history.ts";
import type { PageHistory, SiteHistory } from "./history.ts";
import { randomFrom } from "./random.ts";

/** A page whose every change changes what its text says. */
export interface TextPage extends PageHistory {
  /** `version`: 0 for the text at `bornDay`, and then the number of the change. */
  textAt(version: number): string;
}

export interface TextSite extends SiteHistory {
  pages: TextPage[];
  /** When it begins, in milliseconds since the epoch. */
  beginMs: number;
}

/** What a text says: white space does not count. */
export function truthOf(text: string): string {
  return text.replace(/\s+/g, "");
}

/** Up to `count` texts of a git repository, chosen at random. HTML files are left out: they are no texts. */
export function readTextSite(dir: string, path: string, years: number, count: number): TextSite {
  const history = readGitHistory(dir, path, years);
  const random = randomFrom(2026);
  const pages = history.pages
    .filter(({ name }) => !/\.html?$/i.test(name))
    .map((page) => ({ page, order: random() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ page }) => page);
  const texts = readBlobs(dir, new Set(pages.flatMap(({ blobs }) => blobs)));
  return { ...history, pages: pages.map((page) => toTextPage(page, texts)) };
}

function toTextPage({ blobs, ...page }: GitPage, texts: ReadonlyMap<string, string>): TextPage {
  const versions = blobs.map((blob) => texts.get(blob) ?? "");
  const truths = versions.map(truthOf);
  const kept = versions.flatMap((_, i) => (i === 0 || truths[i] !== truths[i - 1] ? [i] : []));
  return {
    ...page,
    changeDays: Float64Array.from(kept.slice(1).map((i) => page.changeDays[i - 1] ?? 0)),
    textAt: (version) => versions[kept[version] ?? 0] ?? "",
  };
}

function readBlobs(dir: string, ids: ReadonlySet<string>): Map<string, string> {
  const input = [...ids].map((id) => `${id}\n`).join("");
  const { stdout } = spawnSync("git", ["-C", dir, "cat-file", "--batch"], { input, maxBuffer: 2 ** 31 - 1 });
  const texts = new Map<string, string>();
  for (let at = 0; at < stdout.length; ) {
    const lineEnd = stdout.indexOf(10, at);
    const [id = "", , size = "0"] = stdout.toString("utf8", at, lineEnd).split(" ");
    texts.set(id, stdout.toString("utf8", lineEnd + 1, lineEnd + 1 + Number(size)));
    at = lineEnd + 2 + Number(size);
  }
  return texts;
}

const PARAGRAPHS = 8;
const WORDS = 40;

/** Pages of paragraphs. Each change writes one of them anew. */
export function generateTextSite(name: string, site: GeneratedSite): TextSite {
  const { pages, ...history } = generateHistory(name, site);
  return {
    ...history,
    beginMs: Date.UTC(2026, 0, 1),
    pages: pages.map((page, id) => ({
      ...page,
      textAt: (version) =>
        [
          `# Page ${id}`,
          ...Array.from({ length: PARAGRAPHS }, (_, place) => writeParagraph(id, lastChange(place, version))),
        ].join("\n\n"),
    })),
  };
}

/** The last change up to `version` that wrote this paragraph: less than 0 for its first text. */
function lastChange(place: number, version: number): number {
  return version - ((version - place + PARAGRAPHS) % PARAGRAPHS);
}

function writeParagraph(page: number, change: number): string {
  const random = randomFrom(page * 100_003 + change * 31 + 7);
  const syllables = ["ka", "to", "mi", "re", "sul", "ban", "eri", "oth", "dun", "lex"];
  const word = () => Array.from({ length: 3 }, () => syllables[Math.floor(random() * syllables.length)]).join("");
  return `${Array.from({ length: WORDS }, word).join(" ")}.`;
}
