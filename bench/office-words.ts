import { execFileSync } from "node:child_process";
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { unzipSync } from "fflate";
import { readCsv } from "../src/media/csv/read-csv.ts";
import type { DocumentRequest, Reader } from "../src/media/document.ts";
import { readEpub } from "../src/media/epub/read-epub.ts";
import { readOffice } from "../src/media/office/read-office.ts";
import { wordRecall } from "./word-recall.ts";

/**
 * Office documents and books against LibreOffice: the words of its text export, the headings and links of its HTML
 * export. A book is compared with the texts, headings and links of its own XHTML, a table with its own words.
 */

export interface DocumentScore {
  path: string;
  /** Whether the readers were tuned on it: every other document of a kind, by its path. */
  isTuned: boolean;
  words: number;
  found: number;
  missing: string[];
  headings: [found: number, all: number];
  links: [found: number, all: number];
  cpuMs: number;
  cut: string | null;
}

/** What a document has, as something else sees it. */
interface Reference {
  text: string;
  headings: string[];
  /** Absolute URLs on the web. */
  links: string[];
}

const WRITER = /\.(?:docx|docm|dotx|odt|ott|rtf)$/;
const CALC = /\.(?:xlsx|xlsm|ods|ots)$/;
const IMPRESS = /\.(?:pptx|ppsx|odp|otp)$/;
const REQUEST: DocumentRequest = {
  agent: "bench",
  scriptLinks: false,
  requisites: false,
  formats: ["html", "text"],
  obeyNoindex: false,
};
/** All sheets, as they are shown, in UTF-8. */
const CSV = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,true,false,false,-1";

const FILTERS: readonly (readonly [RegExp, readonly string[]])[] = [
  [WRITER, ["txt:Text (encoded):UTF8", "html:HTML (StarWriter)"]],
  [CALC, [CSV, "html:HTML (StarCalc)"]],
  [IMPRESS, ["fodp"]],
];

/** Reads every document of `folder`. `references`: a folder that keeps what LibreOffice says of each. */
export async function* scoreOffice(folder: string, references: string): AsyncGenerator<DocumentScore> {
  const paths = globSync(
    `${folder}/**/*.{docx,docm,dotx,odt,ott,rtf,xlsx,xlsm,ods,ots,pptx,ppsx,odp,otp,epub,csv,tsv}`,
  );
  makeReferences(paths, references);
  const counts = new Map<string, number>();
  for (const path of paths.sort()) {
    const kind = extname(path);
    const nth = counts.get(kind) ?? 0;
    counts.set(kind, nth + 1);
    yield await score(path, nth % 2 === 0, references);
  }
}

async function score(path: string, isTuned: boolean, references: string): Promise<DocumentScore> {
  const bytes = new Uint8Array(readFileSync(path));
  const read: Reader = path.endsWith(".epub") ? readEpub : /\.[ct]sv$/.test(path) ? readCsv : readOffice;
  const before = process.cpuUsage();
  const document = await read(bytes, { url: "https://bench.test/document", contentType: null }, REQUEST);
  const { user, system } = process.cpuUsage(before);
  const html = document.content?.html ?? "";
  const reference = referenceOf(path, bytes, join(references, extname(path)));
  // Canonical URLs lack some parameters, which the content has; links without text are not in the content.
  const ourLinks = [...htmlReference(html).links, ...document.pageLinks.map(({ url }) => plainUrl(url))];
  const ourHeadings = headingsOf(html);
  const { recall, words, missing } = wordRecall(document.content?.text ?? "", reference.text);
  return {
    path,
    isTuned,
    words,
    found: Math.round(recall * words),
    missing,
    headings: countFound(reference.headings, ourHeadings),
    links: countFound(reference.links, ourLinks),
    cpuMs: (user + system) / 1_000,
    cut: document.leftOut.truncated,
  };
}

function countFound(wanted: readonly string[], ours: readonly string[]): [number, number] {
  const known = new Set(ours);
  return [wanted.filter((one) => known.has(one)).length, wanted.length];
}

/** LibreOffice starts once for all documents of an extension, because a start takes longer than a document. */
function makeReferences(paths: readonly string[], references: string): void {
  for (const extension of new Set(paths.map((path) => extname(path)))) {
    const folder = join(references, extension);
    if (existsSync(folder)) continue;
    const own = paths.filter((path) => extname(path) === extension);
    for (const filter of FILTERS.find(([kind]) => kind.test(`x${extension}`))?.[1] ?? []) {
      const profile = `-env:UserInstallation=file://${references}/profile`;
      const options = [profile, "--headless", "--convert-to", filter, "--outdir", folder];
      execFileSync("soffice", [...options, ...own], { stdio: "ignore", timeout: 600_000 });
    }
  }
}

function referenceOf(path: string, bytes: Uint8Array, folder: string): Reference {
  const name = basename(path, extname(path));
  if (/\.[ct]sv$/.test(path)) {
    const text = new TextDecoder().decode(bytes).replace(/[,;\t|"]/g, " ");
    return { text, headings: [], links: [] };
  }
  if (path.endsWith(".epub")) return bookReference(bytes);
  if (WRITER.test(path)) {
    // Numbers of items and bullets are marks: here the structure has them, and the text does not.
    const text = readFileSync(join(folder, `${name}.txt`), "utf8").replace(/^ +(?:\d+\.|[•◦▪]) /gm, "");
    return { ...htmlReference(readFileSync(join(folder, `${name}.html`), "utf8")), text };
  }
  if (CALC.test(path)) {
    const sheets = readdirSync(folder).filter((file) => file.startsWith(`${name}-`) && file.endsWith(".csv"));
    const text = sheets.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
    const { links } = htmlReference(readFileSync(join(folder, `${name}.html`), "utf8"));
    const headings = sheets.map((file) => plain(file.slice(name.length + 1, -".csv".length)));
    return { text: text.replace(/","|,/g, " "), headings, links };
  }
  if (IMPRESS.test(path)) return slideReference(readFileSync(join(folder, `${name}.fodp`), "utf8"));
  throw new Error(`no reference for ${path}`);
}

/** LibreOffice has no text export of slides: their XML in its own format, written again by it. */
function slideReference(flat: string): Reference {
  const body = flat
    .slice(flat.indexOf("<office:body>"))
    .replace(/<presentation:notes[\s\S]*?<\/presentation:notes>/g, "")
    .replace(/<draw:object[\s\S]*?<\/draw:object>/g, "");
  const slides = body.replace(
    /<(?:presentation:(?:footer|header|date-time)-decl|office:binary-data)[\s\S]*?<\/[^>]*>/g,
    "",
  );
  const text = stripTags(slides.replace(/<\/text:(?:p|h)>|<text:(?:tab|line-break|s)[^>]*>/g, " "));
  const titles = [...slides.matchAll(/<draw:frame[^>]*presentation:class="title"[\s\S]*?<\/draw:frame>/g)];
  const headings = titles.flatMap(([frame]) =>
    [...frame.matchAll(/<text:p[\s\S]*?<\/text:p>/g)].map(([p]) => plain(stripTags(p))),
  );
  const links = [...slides.matchAll(/<(?:text|draw):a [^>]*xlink:href="([^"]*)"/g)].map(([, href = ""]) =>
    unescaped(href),
  );
  return { text, headings: headings.filter(Boolean), links: onWeb(links) };
}

function bookReference(bytes: Uint8Array): Reference {
  const parts = unzipSync(bytes, {
    filter: ({ name }) => /\.x?html$/.test(name) && !/(?:^|\/)(?:nav|toc)\.xhtml$/.test(name),
  });
  const html = Object.values(parts)
    .map((part) => new TextDecoder().decode(part))
    .join("\n");
  return htmlReference(html);
}

function htmlReference(html: string): Reference {
  const body = html.replace(/<head[\s\S]*?<\/head>|<(script|style)[\s\S]*?<\/\1>|<!--[\s\S]*?-->/gi, " ");
  const links = [...body.matchAll(/<a\s[^>]*href="([^"]*)"/gi)].map(([, href = ""]) => unescaped(href));
  return {
    text: stripTags(body.replace(/<\/?(?:p|div|li|td|th|tr|h\d|br|pre|dt|dd)\b[^>]*>/gi, " ")),
    headings: headingsOf(body),
    links: onWeb(links),
  };
}

function headingsOf(html: string): string[] {
  return [...html.matchAll(/<h([1-6])\b[^>]*>([\s\S]*?)<\/h\1>/gi)]
    .map(([, , inner = ""]) => plain(stripTags(inner)))
    .filter((text) => text !== "");
}

function onWeb(hrefs: readonly string[]): string[] {
  return [...new Set(hrefs.filter((href) => /^https?:/i.test(href)).map(plainUrl))];
}

function plainUrl(url: string): string {
  return (URL.parse(url)?.href ?? url).replace(/\/$/, "");
}

/** Without spaces, signs and generated numbers. */
function plain(text: string): string {
  return text.replace(/^[\d.\s]+(?=\p{L})/u, "").replace(/[^\p{L}\p{N}]+/gu, "");
}

function stripTags(html: string): string {
  return unescaped(html.replace(/<[^>]*>/g, ""));
}

function unescaped(text: string): string {
  return text
    .replace(/&#x([\da-f]+);/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll("&nbsp;", " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
