import { withScheme } from "../../url/with-scheme.ts";

/**
 * Reads a file of examples: a label and a URL on each line, as CSV or with white space between. Labels with commas or
 * quotation marks are quoted as in CSV. Empty lines, lines that begin with `#`, and a head `label,url` are left out.
 */

export interface ExampleLine {
  label: string;
  url: string;
}

const CSV = /^(?:"((?:[^"]|"")*)"|([^",]*))\s*,\s*"?(\S+?)"?$/;
const SPACED = /^"?(.*?\S)"?\s+(\S+)$/;

/** The examples, and the numbers of the lines that are none. */
export function readExampleLines(text: string): { examples: ExampleLine[]; badLines: number[] } {
  const examples: ExampleLine[] = [];
  const badLines: number[] = [];
  for (const [i, given] of text
    .replace(/^\ufeff/, "")
    .split(/\r\n|\r|\n/)
    .entries()) {
    const line = given.trim();
    if (line === "" || line.startsWith("#") || /^"?label"?[\s,]+"?url"?$/i.test(line)) continue;
    const example = readLine(line);
    if (example === null) badLines.push(i + 1);
    else examples.push({ ...example, url: withScheme(example.url) });
  }
  return { examples, badLines };
}

function readLine(line: string): ExampleLine | null {
  const [, quoted, plain, after = ""] = CSV.exec(line) ?? [];
  const label = (quoted?.replaceAll('""', '"') ?? plain ?? "").trim();
  // A URL may have a comma: `howto https://a.test/x,y`.
  if (label !== "" && (quoted !== undefined || !label.includes("://")))
    return isUrl(after) ? { label, url: after } : null;
  const [, words = "", url = ""] = SPACED.exec(line) ?? [];
  return words !== "" && !words.includes("://") && isUrl(url) ? { label: words, url } : null;
}

/** A URL, or a host with a path. */
function isUrl(text: string): boolean {
  return /^(https?:\/\/[^\s]+|[^\s/:]+\.[^\s/:]+(:\d+)?(\/\S*)?|localhost(:\d+)?(\/\S*)?)$/i.test(text);
}
