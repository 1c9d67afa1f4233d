// papaparse is small (19 kB) and kept. It finds no delimiter in a table of a few rows.
import Papa from "papaparse";
import type { ListEntry } from "./list-entry.ts";
import { readSitemap } from "./sitemap-locations.ts";
import { UnreadableList } from "./unreadable-list.ts";

/** Reads lists of URLs as people have them: lines, CSV, JSON Lines and JSON, sitemaps. */

/** Headers of a column of URLs, and names of fields, the surest first. In lower case, with letters alone. */
const NAMES = [
  ...["url", "urls", "address", "from", "fromurl", "source", "sourceurl", "old", "oldurl", "redirectfrom", "loc"],
  ...["location", "link", "links", "href", "uri", "page", "pageurl", "fullurl", "landingpage", "origin", "domain"],
  ...["host", "hostname", "website"],
];
const HTTP = /^https?:\/\//i;
/** A name with a domain of letters, such as `example.com/a`. */
const NAMED = /^(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]+(?::\d+)?(?:[/?#]|$)/i;
/** Rows at which a column is guessed. */
const SAMPLE = 50;

/** `name`: of the file, whose ending may tell what it is. Throws UnreadableList for what is no list. */
export function readList(text: string, name: string): ListEntry[] {
  const start = text.trimStart().slice(0, 1_000);
  if (start.startsWith("<")) return readSitemap(text, name);
  if (/^(?:\{|\[\s*(?:["{\]]|$))/.test(start)) return readJson(text, name);
  return isTable(text, name) ? readTable(text) : readLines(text);
}

function readLines(text: string): ListEntry[] {
  return text.split(/\r\n|\r|\n/).flatMap((line, i) => {
    const comment = line.search(/(?:^|\s)#/);
    const [first = "", ...rest] = (comment === -1 ? line : line.slice(0, comment)).trim().split(/\s+/);
    // An autolink, as in Markdown and mails.
    return first === "" ? [] : [{ text: first.replace(/^<(.*)>$/, "$1"), line: i + 1, rest }];
  });
}

/** A comma alone makes no table, for URLs have commas. */
function isTable(text: string, name: string): boolean {
  if (/\.(?:csv|tsv)$/i.test(name)) return true;
  const lines = text
    .slice(0, 100_000)
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const sample = lines.slice(0, SAMPLE);
  const [first = ""] = sample;
  const cells = first.split(/[,;\t|]/);
  if (cells.length > 1 && !cells.some(isUrl) && cells.some((cell) => NAMES.includes(nameOf(cell)))) return true;
  if (/^"[^"]*"\s*(?:[,;\t|]|$)/.test(first)) return true;
  const isAll = (test: (line: string) => boolean) => sample.length > 0 && sample.every(test);
  return (
    isAll((line) => line.includes("\t")) ||
    isAll((line) => /[,;|]\s*"?https?:\/\//i.test(line)) ||
    // A number and a name, as in lists of the most visited sites.
    isAll((line) => /^\d+\s*[,;]/.test(line) && isUrl(line.replace(/^\d+\s*[,;]/, ""))) ||
    // A URL and a status.
    isAll((line) => /^\S+\s*[,;|]\s*\d{3}$/.test(line))
  );
}

function readTable(text: string): ListEntry[] {
  const rows: { cells: string[]; line: number }[] = [];
  let line = 1;
  let at = 0;
  Papa.parse<string[]>(text, {
    comments: "#",
    delimiter: delimiterOf(text),
    step({ data, meta }) {
      const cells = data.map((cell) => cell.trim());
      if (cells.some((cell) => cell !== "")) rows.push({ cells, line });
      for (; at < meta.cursor; at++) if (text[at] === "\n" || (text[at] === "\r" && text[at + 1] !== "\n")) line += 1;
    },
  });
  const [head] = rows;
  if (head === undefined) return [];
  const hasHeader = !head.cells.some(isUrl);
  const named = hasHeader ? columnNamed(head.cells) : -1;
  const column = named === -1 ? columnOfUrls(rows.map(({ cells }) => cells)) : named;
  return (hasHeader ? rows.slice(1) : rows).flatMap(({ cells, line: at }) => {
    const text = cells[column] ?? "";
    if (text === "") return [];
    const named = hasHeader ? { named: new Map(head.cells.map((name, i) => [nameOf(name), cells[i] ?? ""])) } : {};
    return [{ text, line: at, rest: cells.filter((_, i) => i !== column), ...named }];
  });
}

/** The one that cuts the most rows into as many cells as the first one. A URL may have each of them, too. */
function delimiterOf(text: string): string {
  const scores = [",", ";", "\t", "|"].map((delimiter): [string, number] => {
    const { data } = Papa.parse<string[]>(text, {
      delimiter,
      preview: SAMPLE,
      comments: "#",
      skipEmptyLines: "greedy",
    });
    const width = data[0]?.length ?? 0;
    return [delimiter, width < 2 ? 0 : data.filter(({ length }) => length === width).length / data.length];
  });
  const [best = ","] = scores.toSorted(([, a], [, b]) => b - a)[0] ?? [];
  return best;
}

function columnNamed(head: readonly string[]): number {
  const names = head.map(nameOf);
  const name = NAMES.find((known) => names.includes(known));
  return name === undefined ? -1 : names.indexOf(name);
}

/** The first column that holds URLs: whole ones, or names of hosts. Without either, the first one is to blame. */
function columnOfUrls(rows: readonly string[][]): number {
  for (const test of [HTTP, NAMED])
    for (const cells of rows.slice(0, SAMPLE)) {
      const column = cells.findIndex((cell) => test.test(cell));
      if (column !== -1) return column;
    }
  return 0;
}

function isUrl(cell: string): boolean {
  const text = cell.trim().replace(/^"(.*)"$/, "$1");
  return HTTP.test(text) || NAMED.test(text);
}

function nameOf(cell: string): string {
  return cell.toLowerCase().replace(/[^a-z]/g, "");
}

/** An object a line, as records.jsonl has them, or one list of objects or texts. */
function readJson(text: string, name: string): ListEntry[] {
  const whole = text.trimStart().startsWith("[") ? parse(text) : undefined;
  if (Array.isArray(whole)) return whole.map((value, i) => toEntry(value, i + 1));
  const entries = text.split(/\r?\n/).flatMap((line, i) => {
    if (line.trim() === "") return [];
    const value = parse(line);
    return [value === undefined ? { text: line.trim(), line: i + 1, rest: [] } : toEntry(value, i + 1)];
  });
  if (entries.every(({ text }) => !isUrl(text)))
    throw new UnreadableList(
      `${name} looks like JSON, and has no URLs: give a list of texts, or an object with url a line.`,
    );
  return entries;
}

function toEntry(value: unknown, line: number): ListEntry {
  if (typeof value === "string") return { text: value.trim(), line, rest: [] };
  const fields = typeof value === "object" && value !== null ? Object.entries(value) : [];
  for (const known of NAMES)
    for (const [field, text] of fields)
      if (nameOf(field) === known && typeof text === "string")
        return { text: text.trim(), line, rest: [], named: new Map(fields.map(toCell)) };
  return { text: JSON.stringify(value).slice(0, 200), line, rest: [] };
}

function toCell([name, value]: [string, unknown]): [string, string] {
  return [nameOf(name), typeof value === "string" || typeof value === "number" ? String(value).trim() : ""];
}

/** Undefined for what is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
