import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { DocumentProblem } from "../../src/media/document-problem.ts";
import { makePdf, textAt } from "../unit/media/pdf/make-pdf.ts";
import { read } from "../unit/media/pdf/read.ts";

/** pdf.js, what bounds it, and node:zlib, which depend on the runtime. */

const PAGE = { content: textAt(50, 700, "Text") };

test("a PDF file is read in workerd", async () => {
  const links = [{ rect: [50, 695, 90, 715] as const, action: "/S/URI/URI(next.pdf)" }];
  const file = makePdf({ pages: [{ ...PAGE, links }, PAGE], info: "/Title(A manual)" });
  const { title, content, links: found } = await read(file);
  expect(title).toBe("A manual");
  expect(content?.markdown).toBe("[Text](https://example.com/docs/next.pdf)\n\nText");
  expect(found.map(({ url }) => url)).toEqual(["https://example.com/docs/next.pdf"]);
});

test("text in a predefined encoding is read in workerd", async () => {
  const system = "/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>";
  const inner = `<</Type/Font/Subtype/CIDFontType0/BaseFont/Ming${system}/DW 1000>>`;
  const font = `<</Type/Font/Subtype/Type0/BaseFont/Ming/Encoding/UniJIS-UCS2-H/DescendantFonts[${inner}]>>`;
  const content = "BT /F3 10 Tf 50 700 Td <65e5672c8a9e> Tj ET";
  const { content: read1 } = await read(makePdf({ pages: [{ content }], fonts: "/F3 6 0 R", objects: [font] }));
  expect(read1?.text).toBe("日本語");
});

test("a bomb, a password and a damaged file end as themselves in workerd, side by side", async () => {
  const bomb = { content: deflateSync(new Uint8Array(40_000_000)), filter: "/Filter/FlateDecode" };
  const encrypt = { userPassword: "secret", ownerPassword: "secret" };
  const [cut, locked, damaged, sound] = await Promise.allSettled([
    read(makePdf({ pages: [PAGE, bomb] })),
    read(makePdf({ pages: [PAGE], encrypt })),
    read(new TextEncoder().encode("%PDF-1.7")),
    read(makePdf({ pages: [PAGE] })),
  ]);
  expect(cut).toMatchObject({
    value: { leftOut: { truncated: "text of page 2: a stream inflates to more than is read" } },
  });
  expect(locked).toMatchObject({ reason: expect.any(DocumentProblem) });
  expect(locked).toMatchObject({ reason: { fault: "password" } });
  expect(damaged).toMatchObject({ reason: { fault: "damaged" } });
  expect(sound).toMatchObject({ value: { content: { text: "Text" }, leftOut: { truncated: null } } });
});
