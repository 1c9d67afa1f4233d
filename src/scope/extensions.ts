/** Recognizes URLs of files that are no pages, by the extension of their last path segment. */

/** No known extension is longer. */
const MAX_LENGTH = 16;

/**
 * Returns the extension, in lower case, of a canonical URL that names a file with one of these extensions, else null.
 * The query does not count (`/get?file=a.pdf`), nor does a segment with a colon: `/wiki/File:Photo.jpg` is a page about
 * the photo.
 */
export function nonPageExtension(url: string, extensions: ReadonlySet<string>): string | null {
  const queryAt = url.indexOf("?");
  const end = queryAt === -1 ? url.length : queryAt;
  const dot = url.lastIndexOf(".", end - 1);
  const length = end - dot - 1;
  if (length === 0 || length > MAX_LENGTH) return null;
  const slash = url.lastIndexOf("/", end - 1);
  if (dot < slash) return null;
  const extension = url.slice(dot + 1, end).toLowerCase();
  if (!extensions.has(extension)) return null;
  const colon = url.indexOf(":", slash);
  return colon !== -1 && colon < dot ? null : extension;
}
