/**
 * Writes `src/media/pdf/cmaps.ts`: the predefined CMaps of ISO 32000-2, table 116, in the compact form of pdf.js. PDF
 * files in Chinese, Japanese and Korean may name them instead of embedding what their characters are.
 *
 * Run by hand when pdfjs-dist has newer ones: `npm i --no-save pdfjs-dist && node scripts/pdf-cmaps.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const NAMES =
  "GB-EUC GBpc-EUC GBK-EUC GBKp-EUC GBK2K UniGB-UCS2 UniGB-UTF16 B5pc HKscs-B5 ETen-B5 ETenms-B5 CNS-EUC UniCNS-UCS2 UniCNS-UTF16 " +
  "83pv-RKSJ 90ms-RKSJ 90msp-RKSJ 90pv-RKSJ Add-RKSJ EUC Ext-RKSJ UniJIS-UCS2 UniJIS-UCS2-HW UniJIS-UTF16 KSC-EUC KSCms-UHC " +
  "KSCms-UHC-HW KSCpc-EUC UniKS-UCS2 UniKS-UTF16";
/** From the characters of the collections to Unicode. */
const TO_UNICODE = "Adobe-GB1-UCS2 Adobe-CNS1-UCS2 Adobe-Japan1-UCS2 Adobe-Korea1-UCS2";

const folder = join(dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json")), "cmaps");
const names = ["H", "V", ...TO_UNICODE.split(" "), ...NAMES.split(" ").flatMap((name) => [`${name}-H`, `${name}-V`])];
const files: [name: string, bytes: Buffer][] = [];
for (const name of names)
  try {
    files.push([name, readFileSync(join(folder, `${name}.bcmap`))]);
  } catch {
    console.error(`there is no ${name}`);
  }
const packed = brotliCompressSync(Buffer.concat(files.map(([, bytes]) => bytes)), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11 },
});
const license = readFileSync(join(folder, "LICENSE"), "utf8").trim();
const sizes = files.map(([name, { length }]) => `${name} ${length}`).join(" ");
writeFileSync(
  "src/media/pdf/cmaps.ts",
  `/**
 * Written by scripts/pdf-cmaps.ts: the predefined CMaps of PDF, as pdf.js has them.
 *
${license.replace(/^(?:%%Copyright:)?[ \t]?/gm, " * ").replace(/[ \t]+$/gm, "")}
 */

/** The name and the size of each, in order. */
export const CMAP_SIZES =
  "${sizes}";

/** All of them, in Brotli and base64. */
export const PACKED_CMAPS =
  "${packed.toString("base64")}";
`,
);
console.log(`${files.length} CMaps: ${packed.length} bytes, compressed`);
