import { afterEach, expect, test } from "vitest";
import { DocumentProblem } from "../../../../src/media/document-problem.ts";
import { BOMBS, bombOfObjects, CATALOG, COSTLY_PDFS, manyLinks } from "./costly-pdfs.ts";
import { makePdf, textAt, writeFile } from "./make-pdf.ts";
import { read } from "./read.ts";

/** Damaged and hostile files. Each ends as a document or as a DocumentProblem, within the bounds of an isolate. */

const MOST_MS = 8_000;
const PAGE = { content: textAt(50, 700, "Text") };
const SOUND = makePdf({ pages: [PAGE, PAGE, PAGE], info: "/Title(Sound)" });
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");
const bytes = (written: string) => new Uint8Array(Buffer.from(written, "latin1"));
const each = (count: number, write: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => write(at)).join("");
const replaced = (from: RegExp | string, to: string) => bytes(text(SOUND).replace(from, to));

async function readInBounds(file: Uint8Array) {
  const before = process.cpuUsage();
  try {
    return await read(file);
  } catch (error) {
    expect(error).toBeInstanceOf(DocumentProblem);
    return (error as DocumentProblem).fault;
  } finally {
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(MOST_MS);
  }
}

test.each<[string, Uint8Array, string]>([
  ["nothing", new Uint8Array(), "damaged"],
  ["a header alone", bytes("%PDF-1.7\n"), "damaged"],
  ["no PDF", bytes("<!DOCTYPE html><p>Not found"), "damaged"],
  ["random bytes", Uint8Array.from({ length: 50_000 }, (_, at) => (at * at * 31 + at * 17) & 255), "damaged"],
  ["the start of a file", SOUND.slice(0, 400), "damaged"],
  ["no pages", writeFile(["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 0/Kids[]>>"]), "damaged"],
])("%s is damaged", async (_, file, fault) => {
  expect(await readInBounds(file)).toBe(fault);
});

test.each<[string, Uint8Array]>([
  ["a wrong startxref", replaced(/startxref\n\d+/, "startxref\n17")],
  ["a startxref beyond the file", replaced(/startxref\n\d+/, "startxref\n99999999")],
  ["a table of objects that names itself as the one before", replaced(/(trailer\n<<)/, `$1/Prev ${xrefAt(SOUND)} `)],
  ["offsets that are all wrong", replaced(/\d{10} 00000 n/g, "0000000007 00000 n")],
  ["no end", SOUND.slice(0, text(SOUND).lastIndexOf("startxref"))],
  ["garbage before it", new Uint8Array(Buffer.concat([Buffer.alloc(500, "junk"), SOUND]))],
])("%s is read all the same", async (_, file) => {
  const document = await readInBounds(file);
  expect(document).toMatchObject({ title: "Sound", content: { text: "Text\nText\nText" } });
});

function xrefAt(file: Uint8Array): number {
  return text(file).lastIndexOf("xref\n0");
}

test.each([
  ["a user's password", { userPassword: "secret", ownerPassword: "owner" }],
  ["a user's password alone", { userPassword: "secret", ownerPassword: "secret" }],
])("%s is asked for", async (_, encrypt) => {
  expect(await readInBounds(makePdf({ pages: [PAGE], encrypt }))).toBe("password");
});

test("an owner's password hinders nobody from reading", async () => {
  const file = makePdf({ pages: [PAGE], encrypt: { userPassword: "", ownerPassword: "owner" } });
  expect(await readInBounds(file)).toMatchObject({ content: { text: "Text" } });
});

test.each(BOMBS)("a bomb of %s costs its page", async (_, content, filter) => {
  const file = makePdf({ pages: [PAGE, { content, filter }, PAGE] });
  expect(file.length).toBeLessThan(1_000_000);
  const document = await readInBounds(file);
  expect(document).toMatchObject({
    content: { text: "Text\nText", metadata: { pageCount: 3 } },
    leftOut: { truncated: "text of page 2: a stream inflates to more than is read", problem: null },
  });
});

test("a bomb in the table of objects is too complex", async () => {
  expect(await readInBounds(bombOfObjects())).toBe("too-complex");
});

test("a page of 200,000 texts is cut", async () => {
  const content = `BT /F1 10 Tf ${each(200_000, (at) => `1 0 0 1 ${at % 9}0 ${at % 7}9 Tm(a)Tj `)} ET`;
  const document = await readInBounds(makePdf({ pages: [{ content }, PAGE] }));
  expect(document).toMatchObject({
    leftOut: { truncated: expect.stringMatching(/^page 1 after 50000 pieces of text/) },
  });
});

test("a document with more pages than are read is cut, and says how many it has", async () => {
  const kids = (first: number, count: number) => each(count, (at) => `${first + at} 0 R `);
  const groups = Array.from({ length: 30 }, (_, at) => `<</Type/Pages/Count 67/Kids[${kids(33 + 67 * at, 67)}]>>`);
  const pages = Array.from({ length: 2_010 }, () => "<</Type/Page/MediaBox[0 0 9 9]>>");
  const root = `<</Type/Pages/Count 2010/Kids[${kids(3, 30)}]>>`;
  const document = await readInBounds(writeFile([CATALOG, root, ...groups, ...pages]));
  expect(document).toMatchObject({
    content: { metadata: { pageCount: 2_010 } },
    leftOut: { truncated: "page 2001 and what follows: it has more than 2000 pages" },
  });
});

test.each(COSTLY_PDFS)("%s ends within bounds", async (_, made) => {
  await readInBounds(made());
});

test("a page of 20,000 links is read as far as memory allows", async () => {
  const document = await readInBounds(makePdf({ pages: [{ ...PAGE, links: manyLinks() }] }));
  expect(document).toMatchObject({ leftOut: { truncated: "18000 annotations of pages that have very many" } });
  expect(document).toHaveProperty("links.length", 2_000);
});

afterEach(() => {
  expect(globalThis).not.toHaveProperty("wasRun");
});

test("nothing in a document runs or is opened", async () => {
  const script = "<</S/JavaScript/JS(globalThis.wasRun = 1; app.alert\\(1\\))>>";
  const catalog =
    `/OpenAction${script}/AA<</WC${script}>>/Names<</JavaScript<</Names[(a)${script}]>>` +
    "/EmbeddedFiles<</Names[(a)<</Type/Filespec/F(a.exe)/EF<</F 6 0 R>>>>]>>>>";
  const objects = ["<</Type/EmbeddedFile/Length 9>>stream\nEmbedded!\nendstream"];
  const document = await readInBounds(
    makePdf({ pages: [{ ...PAGE, entries: `/AA<</O${script}>>` }], catalog, objects }),
  );
  expect(document).toMatchObject({ content: { text: "Text" }, links: [] });
});

test("a damaged page costs only itself", async () => {
  const damaged = { content: Buffer.from("no deflate at all"), filter: "/Filter/FlateDecode" };
  const document = await readInBounds(makePdf({ pages: [PAGE, damaged, PAGE, PAGE] }));
  expect(document).toMatchObject({ content: { text: "Text\nText\nText" } });
});
