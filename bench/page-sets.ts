import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";

/**
 * Reads sets of pages about which people wrote down what is in them. They are fetched, and stay outside the project.
 */

export interface SetPage {
  /** The file name of the page; of a page with a folder of its own, the name of the folder. */
  name: string;
  url: string;
  type: string;
  /** Read anew each time: all pages together take hundreds of megabytes. */
  readonly html: Uint8Array;
}

/** What people say about a page. Null where they say that it has none. */
export interface StatedFacts {
  title: string | null;
  author: string | null;
  /** ISO 8601, or as the page writes it. */
  date: string | null;
}

/** Some pages have no URL. */
const NO_URL = "https://page.invalid/";

/** WCXB (Murrough-Foley/web-content-extraction-benchmark): its development pages. The test pages are left alone. */
export function readWcxb(folder: string): (SetPage & { text: string | null; facts: StatedFacts })[] {
  return globSync(join(folder, "dev", "ground-truth", "*.json"))
    .sort()
    .flatMap((file) => {
      const { url, _internal, ground_truth: truth } = JSON.parse(readFileSync(file, "utf8"));
      const name = `${basename(file, ".json")}.html.gz`;
      const path = join(folder, "dev", "html", name);
      if (!existsSync(path)) return [];
      const type = _internal?.page_type?.primary ?? "article";
      return [
        {
          name,
          url: url ?? NO_URL,
          type: type === "category" ? "collection" : type,
          get html() {
            return gunzipSync(readFileSync(path));
          },
          text: truth?.main_content || null,
          facts: factsOf(truth?.title, truth?.author, truth?.publish_date),
        },
      ];
    });
}

/** The test pages of Readability (mozilla/readability), and what it reads from each. */
export function readMozilla(folder: string): (SetPage & { facts: StatedFacts })[] {
  return globSync(join(folder, "test", "test-pages", "*", "expected-metadata.json"))
    .sort()
    .map((file) => {
      const page = join(file, "..");
      const { title, byline, publishedTime } = JSON.parse(readFileSync(file, "utf8"));
      return {
        name: basename(page),
        url: "http://fakehost/test/page.html",
        type: "all",
        get html() {
          return readFileSync(join(page, "source.html"));
        },
        facts: factsOf(title, byline, publishedTime),
      };
    });
}

function factsOf(title: unknown, author: unknown, date: unknown): StatedFacts {
  const text = (value: unknown) => (typeof value === "string" && value.trim() !== "" ? value.trim() : null);
  return { title: text(title), author: text(author), date: text(date) };
}

/** Trafilatura's evaluation (adbar/trafilatura): sentences that must and must not be in the text. */
export function readTrafilatura(folder: string): (SetPage & { with: string[]; without: string[] })[] {
  const data: Record<string, { file: string; with: string[]; without: string[] }> = JSON.parse(
    readFileSync(join(folder, "tests", "evaldata.json"), "utf8"),
  );
  return Object.entries(data).flatMap(([url, { file, with: wanted, without }]) => {
    const path = ["cache", "eval"].map((place) => join(folder, "tests", place, file)).find((each) => existsSync(each));
    if (path === undefined) return [];
    const read = () => readFileSync(path);
    return [
      {
        name: file,
        url,
        type: "all",
        get html() {
          return read();
        },
        with: wanted,
        without,
      },
    ];
  });
}

/**
 * Pages whose name has an even SHA-256 are for tuning; the figures of the odd ones say what a rule is worth on pages
 * that nobody has looked at.
 */
export function halfOf(name: string): "even" | "odd" {
  const last = createHash("sha256").update(name).digest().at(-1) ?? 0;
  return last % 2 === 0 ? "even" : "odd";
}
