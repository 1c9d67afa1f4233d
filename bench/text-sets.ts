import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { halfOf } from "./half-of.ts";

/**
 * Sets of pages whose content people have marked. They are fetched by whoever measures, and stay outside the project:
 *
 * - WCXB (Murrough-Foley/web-content-extraction-benchmark): its development pages by type. The test pages are left
 *   alone.
 * - Trafilatura's evaluation (adbar/trafilatura): sentences that must and must not be in the text.
 *
 * Pages whose file name has an even SHA-256 are for tuning and training; the odd ones say what came of it.
 */

export type Truth = { text: string } | { wanted: string[]; unwanted: string[] };

export interface SetPage {
  /** The file name of the page. */
  name: string;
  url: string;
  type: string;
  html: Uint8Array;
  truth: Truth;
}

/** Some pages of WCXB have no URL. */
const NO_URL = "https://page.invalid/";

export function isTrafilatura(folder: string): boolean {
  return existsSync(join(folder, "tests", "evaldata.json"));
}

export function readSet(folder: string, half?: string): SetPage[] {
  const pages = isTrafilatura(folder) ? trafilaturaPages(folder) : wcxbPages(folder);
  return pages.filter(({ name }) => half === undefined || halfOf(name) === half);
}

function wcxbPages(folder: string): SetPage[] {
  return globSync(join(folder, "dev", "ground-truth", "*.json"))
    .sort()
    .flatMap((file) => {
      const { url, _internal, ground_truth: truth } = JSON.parse(readFileSync(file, "utf8"));
      const name = `${basename(file, ".json")}.html.gz`;
      const path = join(folder, "dev", "html", name);
      if (!existsSync(path) || !truth?.main_content) return [];
      const type = _internal?.page_type?.primary ?? "article";
      return [
        {
          name,
          url: url ?? NO_URL,
          type: type === "category" ? "collection" : type,
          html: gunzipSync(readFileSync(path)),
          truth: { text: truth.main_content },
        },
      ];
    });
}

function trafilaturaPages(folder: string): SetPage[] {
  const data: Record<string, { file: string; with: string[]; without: string[] }> = JSON.parse(
    readFileSync(join(folder, "tests", "evaldata.json"), "utf8"),
  );
  return Object.entries(data).flatMap(([url, { file, with: wanted, without: unwanted }]) => {
    const path = ["cache", "eval"].map((place) => join(folder, "tests", place, file)).find((each) => existsSync(each));
    if (path === undefined) return [];
    return [{ name: file, url, type: "all", html: readFileSync(path), truth: { wanted, unwanted } }];
  });
}
