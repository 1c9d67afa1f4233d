/**
 * `npm run bench:pdf -- FOLDER`: reads each document of a folder, and compares what it finds with what another
 * program finds: words, headings of the outline, links. PDF files are compared with poppler (`pdftotext -layout`,
 * `pdftohtml`, `pdfinfo`). `--verbose` names what is missing.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import type { Document, Reader } from "../src/media/document.ts";
import { readPdf } from "../src/media/pdf/read-pdf.ts";
import { canonicalize } from "../src/url/canonicalize.ts";
import { wordRecall } from "./word-recall.ts";

/** What another program finds in a document. */
interface Peer {
  text: string;
  /** Titles of the outline. */
  headings: string[];
  /** As written. */
  links: string[];
}

interface DocumentKind {
  extension: string;
  read: Reader<Promise<Document>>;
  readPeer: (file: string) => Peer;
}

const KINDS: readonly DocumentKind[] = [{ extension: "pdf", read: readPdf, readPeer: readPopplers }];

const { values, positionals } = parseArgs({ options: { verbose: { type: "boolean" } }, allowPositionals: true });
const [folder] = positionals;
if (folder === undefined) throw new Error("usage: npm run bench:pdf -- FOLDER [--verbose]");
const PAGE_URL = "https://example.com/documents/document";

console.log("| document | pages | words | recall, all text | recall, content | headings | links | CPU, s |");
console.log("| --- | --- | --- | --- | --- | --- | --- | --- |");
for (const name of readdirSync(folder).sort()) {
  const kind = KINDS.find(({ extension }) => name.endsWith(`.${extension}`));
  if (kind !== undefined) await compare(kind, name, join(folder, name));
}

async function compare({ read, readPeer }: DocumentKind, name: string, file: string): Promise<void> {
  const written = readFileSync(file);
  const bytes = written[0] === 0x1f ? gunzipSync(written) : written;
  const startedAt = process.cpuUsage();
  const source = { url: PAGE_URL, contentType: null };
  const request = { agent: "orbweaver", scriptLinks: false, requisites: false, pageText: true, obeyNoindex: false };
  let document: Document;
  try {
    document = await read(bytes, source, { ...request, formats: ["html", "markdown", "text"] });
  } catch (error) {
    console.log(`| ${name} | ${error} |`);
    return;
  }
  const { user, system } = process.cpuUsage(startedAt);
  const { content, pageText, leftOut } = document;
  const peer = readPeer(file);
  const all = wordRecall(pageText ?? content?.text ?? "", peer.text);
  const main = wordRecall(content?.text ?? "", peer.text);
  const headings = missingHeadings(content?.markdown ?? "", peer.headings);
  const links = missingLinks(document, peer.links);
  const cells = [
    name,
    content?.metadata.pageCount ?? "",
    all.words,
    all.recall.toFixed(4),
    main.recall.toFixed(4),
    `${peer.headings.length - headings.length} of ${peer.headings.length}`,
    `${peer.links.length - links.length} of ${peer.links.length}`,
    ((user + system) / 1e6).toFixed(2),
  ];
  console.log(`| ${cells.join(" | ")} |`);
  const problems = [leftOut.truncated, leftOut.problem].filter((problem) => problem !== null);
  if (problems.length > 0) console.log(`  left out: ${problems.join("; ")}`);
  if (!values.verbose) return;
  console.log(`  title: ${document.title}; language: ${content?.metadata.language}`);
  if (all.recall < 0.98) console.log(`  missing of all text: ${all.missing.join(" ")}`);
  if (main.recall < 0.98) console.log(`  missing of the content: ${main.missing.join(" ")}`);
  if (headings.length > 0) console.log(`  missing headings: ${headings.slice(0, 20).join(" | ")}`);
  if (links.length > 0) console.log(`  missing links: ${links.slice(0, 20).join(" ")}`);
}

/** A heading of the text may have a number that the outline leaves out. */
function missingHeadings(markdown: string, titles: readonly string[]): string[] {
  const found = [...markdown.matchAll(/^#{1,6} (.*)$/gm)].map(([, text = ""]) => letters(text));
  return titles.filter((title) => {
    const at = found.findIndex((text) => text.includes(letters(title)));
    if (at !== -1) found.splice(at, 1);
    return at === -1;
  });
}

/** Links that can be fetched alone: no mail addresses. */
function missingLinks({ pageLinks }: Document, hrefs: readonly string[]): string[] {
  const found = new Set(pageLinks.map(({ url }) => url));
  return hrefs.filter((href) => !found.has(canonicalize(href, PAGE_URL) ?? ""));
}

function letters(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\]\(\S*?\)/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, "");
}

function readPopplers(file: string): Peer {
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { encoding: "utf8", maxBuffer: 2 ** 30, stdio: ["ignore", "pipe", "ignore"] });
  const xml = run("pdftohtml", "-xml", "-i", "-stdout", file);
  const outline = xml.slice(Math.max(0, xml.indexOf("<outline>")));
  const items = xml.includes("<outline>") ? [...outline.matchAll(/<item[^>]*>([^<]*)<\/item>/g)] : [];
  const urls = run("pdfinfo", "-url", file).split("\n").slice(1);
  return {
    text: run("pdftotext", "-layout", "-enc", "UTF-8", file, "-"),
    headings: items.map(([, title = ""]) => decodeXml(title)).filter((title) => letters(title) !== ""),
    links: urls
      .map((line) => line.replace(/^\s*\d+\s+\S+\s+/, "").trim())
      .filter((href) => href !== "" && canonicalize(href, PAGE_URL) !== null),
  };
}

function decodeXml(xml: string): string {
  const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
  return xml.replace(/&(?:#(\d+)|(\w+));/g, (written, code, name) =>
    code === undefined ? (named[name] ?? written) : String.fromCodePoint(Number(code)),
  );
}
