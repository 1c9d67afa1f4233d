import { deflateSync } from "node:zlib";
import { makePdf, textAt, writeFile } from "./make-pdf.ts";

/** PDF files made to cost as much as they can. */

const PAGE = { content: textAt(50, 700, "Text") };
export const CATALOG = "<</Type/Catalog/Pages 2 0 R>>";
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

export function manyLinks() {
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

/** 40 MB of blanks, more than one stream may have. */
const BLANKS = Buffer.alloc(40_000_000, " ");
const runLength = (count: number) =>
  Buffer.concat([Buffer.alloc(2 * count, Buffer.from([129, 32])), Buffer.from([128])]);

/** The content of a page of 40 MB, and its filters. */
export const BOMBS: [name: string, content: Buffer, filter: string][] = [
  ["deflate", deflateSync(BLANKS), "/Filter/FlateDecode"],
  ["deflate in deflate", deflateSync(deflateSync(BLANKS)), "/Filter[/FlateDecode/FlateDecode]"],
  ["run lengths", runLength(400_000), "/Filter/RunLengthDecode"],
  ["run lengths in deflate", deflateSync(runLength(400_000)), "/Filter[/FlateDecode/RunLengthDecode]"],
];

/** Pages that share one stream of operators, of 16 kB: about half a minute of CPU time. */
export function slowPdf(): Uint8Array {
  const operators = deflateSync("q Q ".repeat(3_900_000));
  const pages = Array.from({ length: 16 }, (_, at) => at + 4);
  const kids = pages.map((number) => `${number} 0 R`).join(" ");
  return writeFile([
    CATALOG,
    `<</Type/Pages/Count ${pages.length}/Kids[${kids}]/MediaBox[0 0 600 800]/Resources<<>>>>`,
    [`<</Filter/FlateDecode/Length ${operators.length}>>`, operators],
    ...pages.map(() => "<</Type/Page/Parent 2 0 R/Contents 3 0 R>>"),
  ]);
}

/** The table of objects is a bomb. */
export function bombOfObjects(): Uint8Array {
  const objects = deflateSync(Buffer.alloc(BLANKS.length));
  const at = 9;
  const head = `1 0 obj\n<</Type/XRef/W[1 4 2]/Size 9000000/Root 2 0 R/Filter/FlateDecode/Length ${objects.length}>>stream\n`;
  const tail = `\nendstream\nendobj\nstartxref\n${at}\n%%EOF\n`;
  return new Uint8Array(Buffer.concat([Buffer.from(`%PDF-1.7\n${head}`), objects, Buffer.from(tail)]));
}

export const COSTLY_PDFS: [name: string, make: () => Uint8Array][] = [
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
];
