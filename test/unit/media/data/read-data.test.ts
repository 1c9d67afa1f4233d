import { expect, test } from "vitest";
import { readJson, readXml } from "../../../../src/media/data/read-data.ts";
import type { Document, DocumentRequest } from "../../../../src/media/document.ts";
import { cpuMsOf } from "../../cpu-time.ts";

const REQUEST: DocumentRequest = {
  agent: "orbweaver",
  scriptLinks: false,
  requisites: false,
  formats: ["html", "markdown", "text"],
  obeyNoindex: false,
};
const bytesOf = (text: string) => new TextEncoder().encode(text);
const source = (contentType: string) => ({
  url: "https://example.com/api/items",
  contentType,
  headers: [["link", '<?page=2>; rel="next"']] as const,
});
const json = (text: string, request: Partial<DocumentRequest> = {}) =>
  readJson(bytesOf(text), source("application/json"), { ...REQUEST, ...request }) as Document;
const urls = ({ links }: Document) => links.map(({ url }) => url.replace("https://example.com", ""));

test.each([
  ["an object", '{"a": "<b>", "c": 1}'],
  ["broken JSON", '{"a": [1,'],
  ["lines of JSON", '{"a":1}\n{"a":2}'],
  ["nothing but white space", " "],
])("JSON is content as it is: %s", (_, text) => {
  const { content, title } = json(text);
  expect(title).toBeNull();
  expect(content).toMatchObject({ text, markdown: `\`\`\`json\n${text.trimEnd()}\n\`\`\`` });
  expect(content?.html).toBe(`<pre>${text.replaceAll("<", "&lt;").replaceAll(">", "&gt;")}</pre>`);
});

test("the fence is longer than any in the text", () => {
  expect(json('"````"').content?.markdown).toBe('`````json\n"````"\n`````');
});

test("URLs of JSON are guesses, like those of scripts; links of the headers are links", () => {
  const text = '{"@type": "/x", "url": "https://example.com/a", "path": "\\/b", "name": "c", "more": ["/d?x=1"]}';
  expect(urls(json(text))).toEqual(["/api/items?page=2"]);
  const guessed = json(text, { scriptLinks: true });
  expect(urls(guessed)).toEqual(["/api/items?page=2", "/a", "/b", "/d?x=1"]);
  expect(guessed.links.slice(1).every(({ kind }) => kind === "script")).toBe(true);
});

test("XML is content as it is: nothing of it is expanded, run or followed", () => {
  const text = `<?xml-stylesheet href="/style.xsl"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a href="/b">&x;</a>`;
  const document = readXml(bytesOf(text), source("application/xml"), { ...REQUEST, scriptLinks: true }) as Document;
  expect(document.content).toMatchObject({ text, markdown: `\`\`\`xml\n${text}\n\`\`\`` });
  expect(urls(document)).toEqual(["/api/items?page=2"]);
});

test("the XML declaration names the encoding", () => {
  const bytes = Uint8Array.from('<?xml version="1.0" encoding="iso-8859-1"?><a>\xe9</a>', (char) => char.charCodeAt(0));
  const document = readXml(bytes, source("text/xml"), REQUEST) as Document;
  expect(document).toMatchObject({ encoding: "windows-1252", content: { text: expect.stringContaining("<a>é</a>") } });
});

test("10 MB of JSON in one line cost a bounded time", () => {
  const bytes = bytesOf(`[${'{"url":"/a/b","n":12345},'.repeat(400_000)}0]`);
  const read = () =>
    readJson(bytes, source("application/json"), { ...REQUEST, formats: ["markdown", "text"], scriptLinks: true });
  expect(cpuMsOf(read)).toBeLessThan(10_000);
});
