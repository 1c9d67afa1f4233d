/**
 * Encodes text in the legacy encodings of the web. The platform only decodes them, so their tables are made by decoding
 * each sequence of bytes once. https://encoding.spec.whatwg.org/#legacy-single-byte-encodings
 */

/** The bytes of a run of characters, or the code point of a character that the encoding lacks. */
type Encoded = Uint8Array | number;
type Table = ReadonlyMap<string, readonly number[]>;

const LINE_FEED = 0x0a;
const REPLACEMENT = "\ufffd";
/** Encodings with two bytes a character. */
const DOUBLE_BYTE = new Set(["gbk", "gb18030", "big5", "euc-jp", "euc-kr", "shift_jis"]);
/**
 * Lead bytes of sequences that are only decoded: Big5's Hong Kong extensions, and Shift_JIS's copies of IBM characters
 * and its private ones. https://encoding.spec.whatwg.org/#indexes
 */
const DECODED_ONLY: Partial<Record<string, (lead: number) => boolean>> = {
  big5: (lead) => lead < 0xa1,
  shift_jis: (lead) => lead === 0xed || lead === 0xee || (lead >= 0xf0 && lead <= 0xf9),
};
/** Characters that Big5 has twice, and whose second place counts. */
const BIG5_LAST = new Set("═╞╡╪十卅");
/** Characters that Japanese encodings write as others: https://encoding.spec.whatwg.org/#euc-jp-encoder */
const JAPANESE: readonly (readonly [written: string, as: string])[] = [
  ["¥", "\\"],
  ["‾", "~"],
  ["−", "－"],
];
/** ISO-2022-JP has the characters of EUC-JP with seven bits, between these. */
const TO_JIS = [0x1b, 0x24, 0x42];
const TO_ASCII = [0x1b, 0x28, 0x42];

const tables = new Map<string, Table>();

/** `encoding`: the WHATWG name of a legacy encoding. The encoder gets characters above ASCII, and never throws. */
export function encoderOf(encoding: string): (text: string) => Encoded[] {
  if (encoding === "iso-2022-jp") return encodeIso2022Jp;
  const table = tableOf(encoding);
  return (text) => Array.from(text, (char) => encodeChar(char, table, encoding));
}

function encodeChar(char: string, table: Table, encoding: string): Encoded {
  const bytes = table.get(char);
  if (bytes !== undefined) return Uint8Array.from(bytes);
  const code = char.codePointAt(0) ?? 0;
  return encoding === "gb18030" && code > 0xffff ? fourBytes(189_000 + code - 0x10000) : code;
}

/** Two of four bytes: https://encoding.spec.whatwg.org/#gb18030-encoder */
function fourBytes(pointer: number): Uint8Array {
  const at = (size: number, most: number) => Math.floor(pointer / size) % most;
  return Uint8Array.of(0x81 + at(12_600, 126), 0x30 + at(1_260, 10), 0x81 + at(10, 126), 0x30 + at(1, 10));
}

/** https://encoding.spec.whatwg.org/#iso-2022-jp-encoder, without half-width katakana, which it widens. */
function encodeIso2022Jp(text: string): Encoded[] {
  const table = tableOf("euc-jp");
  const encoded: Encoded[] = [];
  let run: number[] = [];
  const endRun = () => {
    if (run.length > 0) encoded.push(Uint8Array.from([...TO_JIS, ...run, ...TO_ASCII]));
    run = [];
  };
  for (const char of text) {
    const bytes = table.get(char);
    const [lead = 0] = bytes ?? [];
    if (bytes?.length === 2 && lead >= 0xa1) run.push(...bytes.map((byte) => byte - 0x80));
    else {
      endRun();
      encoded.push(char.codePointAt(0) ?? 0);
    }
  }
  endRun();
  return encoded;
}

function tableOf(encoding: string): Table {
  const known = tables.get(encoding);
  if (known !== undefined) return known;
  const table = invert(encoding);
  tables.set(encoding, table);
  return table;
}

/** Takes a few milliseconds, and about 2 MB for an encoding with two bytes a character. */
function invert(encoding: string): Table {
  const table = new Map<string, readonly number[]>();
  const decoder = new TextDecoder(encoding);
  const isLast = (char: string) => encoding === "big5" && BIG5_LAST.has(char);
  const add = (sequences: readonly number[][]) => {
    // A line feed after each sequence: it is no part of any, so it ends one that is cut off.
    const text = decoder.decode(Uint8Array.from(sequences.flatMap((bytes) => [...bytes, LINE_FEED])));
    for (const [at, char] of text.split("\n").entries()) {
      const bytes = sequences[at];
      if (bytes === undefined || char === REPLACEMENT || Array.from(char).length !== 1) continue;
      if (!table.has(char) || isLast(char)) table.set(char, bytes);
    }
  };
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
  const singles = range(0x80, 0xff).filter((byte) => !(encoding === "gb18030" && byte === 0x80));
  add(singles.map((byte) => [byte]));
  if (DOUBLE_BYTE.has(encoding)) {
    const trails = [...range(0x40, 0x7e), ...range(0x80, 0xfe)];
    for (const lead of range(0x81, 0xfe))
      if (!DECODED_ONLY[encoding]?.(lead)) add(trails.map((trail) => [lead, trail]));
  }
  if (encoding === "gb18030") {
    const pointers = range(0, 39_419);
    for (let at = 0; at < pointers.length; at += 1_260)
      add(pointers.slice(at, at + 1_260).map((pointer) => [...fourBytes(pointer)]));
  }
  if (encoding === "euc-jp" || encoding === "shift_jis")
    for (const [written, as] of JAPANESE) table.set(written, table.get(as) ?? [as.charCodeAt(0)]);
  return table;
}
