import { existsSync } from "node:fs";
import { join } from "node:path";
import { halfOf, readTrafilatura, readWcxb, type SetPage } from "./page-sets.ts";

/** Sets of pages (page-sets.ts) whose content people have marked: all of its text, or sentences of it. */

export type Truth = { text: string } | { wanted: string[]; unwanted: string[] };

export interface TextPage extends SetPage {
  truth: Truth;
}

export function isTrafilatura(folder: string): boolean {
  return existsSync(join(folder, "tests", "evaldata.json"));
}

/** The pages of WCXB, or of trafilatura's evaluation, or of a half of them. */
export function readSet(folder: string, half?: string): TextPage[] {
  const pages = isTrafilatura(folder) ? trafilaturaPages(folder) : wcxbPages(folder);
  return pages.filter(({ name }) => half === undefined || halfOf(name) === half);
}

function wcxbPages(folder: string): TextPage[] {
  return readWcxb(folder).flatMap((page) =>
    page.text === null ? [] : [Object.assign(page, { truth: { text: page.text } })],
  );
}

function trafilaturaPages(folder: string): TextPage[] {
  return readTrafilatura(folder).map((page) =>
    Object.assign(page, { truth: { wanted: page.with, unwanted: page.without } }),
  );
}
