/** Decodes a sitemap piece by piece. */

/** The first piece also decides the encoding, and whether the file is XML. */
const PIECE_BYTES = 64 * 1024;
/** Maximum length of an XML declaration. */
const DECLARATION_BYTES = 1024;
const XML_ENCODING = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]*)["']/i;

/**
 * Yields the same bytes in pieces of 64 KiB, only the last one shorter, however a network or an attacker cuts them. A
 * piece is valid until the next one is requested.
 */
export async function* inPieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const piece = new Uint8Array(PIECE_BYTES);
  let filled = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + PIECE_BYTES - filled);
      piece.set(part, filled);
      at += part.length;
      filled += part.length;
      if (filled === PIECE_BYTES) {
        yield piece;
        filled = 0;
      }
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}

/**
 * Returns a decoder for a file that begins with `head`: by byte order mark, then the zeros of UTF-16 (XML 1.0, appendix
 * F.1), then the charset of `contentType` (RFC 7303 3), then the XML declaration, else UTF-8, which the protocol
 * demands. Invalid labels are ignored.
 */
export function sitemapDecoder(head: Uint8Array, contentType: string | null): TextDecoder {
  return (
    byFirstBytes(head) ??
    decoderOf(/;\s*charset\s*=\s*["']?([^;"'\s]+)/i.exec(contentType ?? "")?.[1]) ??
    byDeclaration(head) ??
    new TextDecoder()
  );
}

function byFirstBytes([a, b, c]: Uint8Array): TextDecoder | null {
  if (a === 0xef && b === 0xbb && c === 0xbf) return new TextDecoder();
  if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0)) return new TextDecoder("utf-16le");
  if ((a === 0xfe && b === 0xff) || (a === 0 && b === 0x3c)) return new TextDecoder("utf-16be");
  return null;
}

function byDeclaration(head: Uint8Array): TextDecoder | null {
  // One character per byte is enough, because the declaration is ASCII.
  const text = new TextDecoder("windows-1252").decode(head.subarray(0, DECLARATION_BYTES));
  const decoder = decoderOf(XML_ENCODING.exec(text)?.[1]);
  // A declaration that is readable as ASCII is not in UTF-16, whatever it says.
  return decoder?.encoding.startsWith("utf-16") ? null : decoder;
}

function decoderOf(label: string | undefined): TextDecoder | null {
  if (label === undefined) return null;
  try {
    return new TextDecoder(label);
  } catch {
    // No such encoding: try the next source.
    return null;
  }
}
