import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

/** A small writer of PDF files, sound and broken ones. */

export interface MadePage {
  /** Operators of the page, see `textAt`. */
  content: string | Uint8Array;
  /** Entries of the content stream's dictionary; the content is compressed already. */
  filter?: string;
  links?: readonly MadeLink[];
  /** Further entries of the page. */
  entries?: string;
}

export interface MadeLink {
  rect: readonly [number, number, number, number];
  /** The action, such as `/S/URI/URI(https://example.com/)`. */
  action: string;
}

export interface MadePdf {
  pages: readonly MadePage[];
  /** Entries of the information dictionary, such as `/Title(A)`. */
  info?: string;
  /** Further entries of the catalog. */
  catalog?: string;
  /** Further fonts of all pages, such as `/F3 6 0 R`. */
  fonts?: string;
  /** Further objects, from number 6 on; `pageObject` gives the number of a page. */
  objects?: readonly string[];
  encrypt?: { userPassword: string; ownerPassword: string };
}

const FONT = 3;
const MONOSPACED = 4;
const FIRST_FREE = 6;

/** Writes text in Helvetica (`F1`) or Courier (`F2`) at a place. */
export function textAt(x: number, y: number, text: string, size = 10, font: "F1" | "F2" = "F1"): string {
  return `BT /${font} ${size} Tf 1 0 0 1 ${x} ${y} Tm (${text.replace(/[\\()]/g, "\\$&")}) Tj ET\n`;
}

export function pageObject(page: number, objects = 0): number {
  return FIRST_FREE + objects + 2 * page;
}

export function makePdf({ pages, info = "", catalog = "", fonts = "", objects = [], encrypt }: MadePdf): Uint8Array {
  const id = "0123456789abcdef";
  const security = encrypt === undefined ? null : new Encryption(encrypt.userPassword, encrypt.ownerPassword, id);
  const bodies: (string | [string, Uint8Array])[] = [
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    `<</Type/Pages/Count ${pages.length}/Kids[${pages.map((_, at) => `${pageObject(at, objects.length)} 0 R`).join(" ")}]>>`,
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    "<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>",
    `<<${info}>>`,
    ...objects,
  ];
  for (const { content, filter, links = [], entries = "" } of pages) {
    const annotations = links.map(
      ({ rect, action }) => `<</Type/Annot/Subtype/Link/Border[0 0 0]/Rect[${rect.join(" ")}]/A<<${action}>>>>`,
    );
    const number = bodies.length + 1;
    const font = `/Font<</F1 ${FONT} 0 R/F2 ${MONOSPACED} 0 R${fonts}>>`;
    bodies.push(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<<${font}>>/Contents ${number + 1} 0 R` +
        `/Annots[${annotations.join("")}]${entries}>>`,
    );
    const raw = typeof content === "string" ? Buffer.from(content, "latin1") : content;
    const compressed = filter === undefined ? deflateSync(raw) : raw;
    const data = security?.encrypt(compressed, number + 1) ?? compressed;
    bodies.push([`<<${filter ?? "/Filter/FlateDecode"}/Length ${data.length}>>`, data]);
  }
  const trailer = `/ID[<${Buffer.from(id).toString("hex")}><${Buffer.from(id).toString("hex")}>]${security?.entry ?? ""}`;
  return writeFile(bodies, trailer);
}

/** Objects from number 1 on, of which the first is the catalog and the fifth the information dictionary. */
export function writeFile(bodies: readonly (string | readonly [string, Uint8Array])[], trailer = ""): Uint8Array {
  const parts: Uint8Array[] = [Buffer.from("%PDF-1.7\n")];
  let length = 9;
  const add = (part: string | Uint8Array) => {
    const bytes = typeof part === "string" ? Buffer.from(part, "latin1") : part;
    parts.push(bytes);
    length += bytes.length;
  };
  const offsets = bodies.map((body, at) => {
    const offset = length;
    if (typeof body === "string") add(`${at + 1} 0 obj\n${body}\nendobj\n`);
    else {
      add(`${at + 1} 0 obj\n${body[0]}stream\n`);
      add(body[1]);
      add("\nendstream\nendobj\n");
    }
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const start = length;
  const size = bodies.length + 1;
  const info = bodies.length >= 5 ? "/Info 5 0 R" : "";
  add(`xref\n0 ${size}\n0000000000 65535 f \n${offsets.join("")}`);
  add(`trailer\n<</Size ${size}/Root 1 0 R${info}${trailer}>>\nstartxref\n${start}\n%%EOF\n`);
  return new Uint8Array(Buffer.concat(parts));
}

/** ISO 32000-1, 7.6.3: the standard security handler, revision 3, RC4 with 128 bits. */
class Encryption {
  readonly entry: string;
  readonly #key: Buffer;

  constructor(userPassword: string, ownerPassword: string, id: string) {
    let ownerKey = md5(padded(ownerPassword));
    for (let round = 0; round < 50; round++) ownerKey = md5(ownerKey);
    const owner = twentyTimes(ownerKey, padded(userPassword));
    const permissions = Buffer.from([0xfc, 0xff, 0xff, 0xff]);
    let key = md5(Buffer.concat([padded(userPassword), owner, permissions, Buffer.from(id)]));
    for (let round = 0; round < 50; round++) key = md5(key);
    this.#key = key;
    const user = Buffer.concat([twentyTimes(key, md5(Buffer.concat([PADDING, Buffer.from(id)]))), Buffer.alloc(16)]);
    this.entry = `/Encrypt<</Filter/Standard/V 2/R 3/Length 128/P -4/O<${owner.toString("hex")}>/U<${user.toString("hex")}>>>`;
  }

  encrypt(data: Uint8Array, object: number): Uint8Array {
    const number = Buffer.from([object & 255, object >> 8, object >> 16, 0, 0]);
    return rc4(md5(Buffer.concat([this.#key, number])), data);
  }
}

const PADDING = Buffer.from("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A", "hex");

function padded(password: string): Buffer {
  return Buffer.concat([Buffer.from(password, "latin1"), PADDING]).subarray(0, 32);
}

function twentyTimes(key: Buffer, data: Buffer): Buffer {
  let result = data;
  for (let round = 0; round < 20; round++) result = rc4(Buffer.from(key.map((byte) => byte ^ round)), result);
  return result;
}

function md5(data: Uint8Array): Buffer {
  return createHash("md5").update(data).digest();
}

/** Node's OpenSSL has no RC4. */
function rc4(key: Uint8Array, data: Uint8Array): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, at) => at);
  const swap = (a: number, b: number) => ([state[a], state[b]] = [state[b] as number, state[a] as number]);
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + (state[i] as number) + (key[i % key.length] as number)) & 255;
    swap(i, j);
  }
  let i = 0;
  let j = 0;
  return Buffer.from(
    data.map((byte) => {
      i = (i + 1) & 255;
      j = (j + (state[i] as number)) & 255;
      swap(i, j);
      return byte ^ (state[((state[i] as number) + (state[j] as number)) & 255] as number);
    }),
  );
}
