/** The encodings that RTF names by numbers, of code pages and of the character sets of fonts. */

const BY_CODE_PAGE: Readonly<Record<number, string>> = {
  708: "iso-8859-6",
  866: "ibm866",
  874: "windows-874",
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
  10000: "macintosh",
  10007: "x-mac-cyrillic",
  20866: "koi8-r",
  65001: "utf-8",
};

const BY_CHARSET: Readonly<Record<number, number>> = {
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
};

/** Null for a number that names no encoding that the runtime decodes, such as a set of symbols. */
export function encodingOfCodePage(codePage: number): string | null {
  return codePage >= 1250 && codePage <= 1258 ? `windows-${codePage}` : (BY_CODE_PAGE[codePage] ?? null);
}

export function encodingOfCharset(charset: number): string | null {
  const codePage = BY_CHARSET[charset];
  return codePage === undefined ? null : encodingOfCodePage(codePage);
}

const decoders = new Map<string, TextDecoder>();

export function decodeBytes(bytes: readonly number[], encoding: string): string {
  const decoder = decoders.get(encoding) ?? new TextDecoder(encoding);
  decoders.set(encoding, decoder);
  return decoder.decode(new Uint8Array(bytes));
}
