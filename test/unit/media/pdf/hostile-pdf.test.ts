import { deflateSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { DocumentProblem } from "../../../../src/media/document-problem.ts";
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

/** 40 MB of blanks, more than one stream may have. */
const BLANKS = Buffer.alloc(40_000_000, " ");
const runLength = (count: number) =>
  Buffer.concat([Buffer.alloc(2 * count, Buffer.from([129, 32])), Buffer.from([128])]);

test.each([
  ["deflate", deflateSync(BLANKS), "/Filter/FlateDecode"],
  ["deflate in deflate", deflateSync(deflateSync(BLANKS)), "/Filter[/FlateDecode/FlateDecode]"],
  ["run lengths", runLength(400_000), "/Filter/RunLengthDecode"],
  ["run lengths in deflate", deflateSync(runLength(400_000)), "/Filter[/FlateDecode/RunLengthDecode]"],
])("a bomb of %s costs its page", async (_, content, filter) => {
  const file = makePdf({ pages: [PAGE, { content, filter }, PAGE] });
  expect(file.length).toBeLessThan(1_000_000);
  const document = await readInBounds(file);
  expect(document).toMatchObject({
    content: { text: "Text\nText", metadata: { pageCount: 3 } },
    leftOut: { truncated: "text of page 2: a stream inflates to more than is read", problem: null },
  });
});

test("a bomb in the table of objects is too complex", async () => {
  const objects = deflateSync(Buffer.alloc(BLANKS.length));
  const at = 9;
  const head = `1 0 obj\n<</Type/XRef/W[1 4 2]/Size 9000000/Root 2 0 R/Filter/FlateDecode/Length ${objects.length}>>stream\n`;
  const tail = `\nendstream\nendobj\nstartxref\n${at}\n%%EOF\n`;
  const file = new Uint8Array(Buffer.concat([bytes(`%PDF-1.7\n${head}`), objects, bytes(tail)]));
  expect(await readInBounds(file)).toBe("too-complex");
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

test.each<[string, () => Uint8Array]>([
  ["a catalog that is its own page tree", () => writeFile(["<</Type/Catalog/Pages 1 0 R>>"])],
  ["a page tree 20,000 deep", () => treeOf(20_000)],
  ["a page tree that holds itself", () => writeFile([CATALOG, "<</Type/Pages/Count 5/Kids[2 0 R 2 0 R]>>"])],
  ["a million pages that are not there", () => writeFile([CATALOG, "<</Type/Pages/Count 1000000/Kids[]>>"])],
  ["arrays 100,000 deep", () => makePdf({ pages: [PAGE], catalog: `/Deep ${"[".repeat(100_000)}` })],
  [
    "an outline that holds itself",
    () =>
      makePdf({
        pages: [PAGE],
        catalog: "/Outlines 6 0 R",
        objects: ["<</First 7 0 R>>", "<</Title(a)/First 7 0 R/Next 7 0 R/Dest[8 0 R/Fit]>>"],
      }),
  ],
  [
    "100,000 names of places in one another",
    () => makePdf({ pages: [PAGE], catalog: "/Names<</Dests 6 0 R>>", objects: ["<</Kids[6 0 R 6 0 R]>>"] }),
  ],
  ["a form that draws itself", () => formOf("/F0 Do /F0 Do")],
  [
    "200,000 levels of marked content",
    () => makePdf({ pages: [{ content: `${"/A BMC ".repeat(200_000)}${PAGE.content}` }] }),
  ],
  [
    "a word of 500,000 letters",
    () => makePdf({ pages: [{ content: `BT /F1 .001 Tf 50 700 Td (${"a".repeat(500_000)}) Tj ET` }] }),
  ],
  ["a picture as the page's content", () => makePdf({ pages: [{ ...PAGE, filter: "/Filter/DCTDecode" }] })],
  ["a page number with two million letters", () => makePdf({ pages: [PAGE], catalog: LABELS })],
  [
    "a font that maps 16 million characters",
    () => makePdf({ pages: [PAGE, { content: "BT /F3 9 Tf 50 700 Td <0000> Tj ET" }], ...hugeFont() }),
  ],
])("%s ends within bounds", async (_, made) => {
  await readInBounds(made());
});

test("a page of 20,000 links is read as far as memory allows", async () => {
  const document = await readInBounds(makePdf({ pages: [{ ...PAGE, links: manyLinks() }] }));
  expect(document).toMatchObject({ leftOut: { truncated: "18000 annotations of pages that have very many" } });
  expect(document).toHaveProperty("links.length", 2_000);
});

const CATALOG = "<</Type/Catalog/Pages 2 0 R>>";
const LABELS = "/PageLabels<</Nums[0<</S/r/St 2147483647>>]>>";

function treeOf(depth: number): Uint8Array {
  const nodes = Array.from({ length: depth }, (_, at) => `<</Type/Pages/Count 1/Kids[${at + 3} 0 R]>>`);
  return writeFile([CATALOG, ...nodes, `<</Type/Page/Parent ${depth + 1} 0 R/MediaBox[0 0 9 9]>>`]);
}

function formOf(content: string): Uint8Array {
  const form = `<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F0 6 0 R>>>>/Length ${content.length}>>`;
  const objects = [`${form}stream\n${content}\nendstream`];
  const entries = "/Resources<</XObject<</F0 6 0 R>>>>";
  return makePdf({ pages: [{ content, entries }], objects });
}

function manyLinks() {
  const link = (at: number) => ({ rect: [0, 0, 600, 800] as const, action: `/S/URI/URI(https://example.com/${at})` });
  return Array.from({ length: 20_000 }, (_, at) => link(at));
}

function hugeFont() {
  const map =
    "1 begincodespacerange <000000> <ffffff> endcodespacerange 1 beginbfrange <000000> <fffffe> <0000> endbfrange";
  const inner =
    "<</Type/Font/Subtype/CIDFontType2/BaseFont/A/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>";
  return {
    fonts: "/F3 6 0 R",
    objects: [
      `<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/ToUnicode 7 0 R/DescendantFonts[${inner}]>>`,
      `<</Length ${map.length}>>stream\n${map}\nendstream`,
    ],
  };
}

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
