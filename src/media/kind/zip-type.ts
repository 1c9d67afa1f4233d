/**
 * Tells documents that are zip archives apart, by the names of their first entries.
 * https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (4.3.7, the local file header)
 */

const LOCAL_HEADER = "PK\x03\x04";
const HEADER_BYTES = 30;
/** The names that matter come among the first entries; the parts before them are small. */
const SCANNED_BYTES = 65_536;

/** What an OOXML package holds beside its parts. They come in any order. */
const PACKAGE = /^(?:\[Content_Types\]\.xml$|_rels\/|docProps\/|customXml\/|word\/|xl\/|ppt\/)/;
export const OOXML = "application/vnd.openxmlformats-officedocument";
const PARTS: readonly [folder: string, type: string][] = [
  ["word/", `${OOXML}.wordprocessingml.document`],
  ["xl/", `${OOXML}.spreadsheetml.sheet`],
  ["ppt/", `${OOXML}.presentationml.presentation`],
];

/**
 * The media type of a document; null for other archives, and where the bytes end before they show it. ODF and EPUB say
 * it in their first entry, `mimetype`. `isKnown`: whether a type is one of a document.
 */
export function zipTypeOf(bytes: Uint8Array, isKnown: (type: string) => boolean): string | null {
  const start = new TextDecoder("windows-1252").decode(bytes.subarray(0, SCANNED_BYTES));
  let isPackage = true;
  for (let at = 0; at !== -1; at = start.indexOf(LOCAL_HEADER, at + HEADER_BYTES)) {
    const nameLength = numberAt(bytes, at + 26);
    const name = start.slice(at + HEADER_BYTES, at + HEADER_BYTES + nameLength);
    if (at === 0 && name === "mimetype") {
      const content = at + HEADER_BYTES + nameLength + numberAt(bytes, at + 28);
      const type = /^[a-z0-9./+-]+/.exec(start.slice(content, content + 100))?.[0] ?? "";
      return declaredType(type, isKnown);
    }
    if (at === 0) isPackage = PACKAGE.test(name);
    const part = isPackage ? PARTS.find(([folder]) => name.startsWith(folder)) : undefined;
    if (part !== undefined) return part[1];
    if (!isPackage) return null;
  }
  return null;
}

/** The entry has no end of its own: the next header follows, whose first letters would count as the type's. */
function declaredType(type: string, isKnown: (type: string) => boolean): string | null {
  const ends = [type, type.replace(/PK$/, "")];
  return ends.find(isKnown) ?? null;
}

function numberAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
}
