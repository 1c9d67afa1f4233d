import { extensionOf } from "../../media/kind/file-extensions.ts";
import { mirrorPath } from "../../store/mirror/mirror-key.ts";

/**
 * The path of a page or asset in a folder that opens offline: its path in the mirror, with the extension of its type.
 *
 *     https://example.com/docs/a.html     text/html   example.com/docs/a.html
 *     https://example.com/list?page=2     text/html   example.com/list~page=2.html
 *     https://example.com/page.php        text/html   example.com/page.php~.html
 *     https://example.com/style.css?v=1   text/css    example.com/style~v=1.css
 *     https://example.com/style?v=1       text/css    example.com/style~v=1~.css
 *     https://example.com/Logo.PNG        image/png   example.com/Logo~~00p7l660xizk2k.png
 *
 * Why no two URLs share a path: none do in the mirror, where a name is the URL's own segment without `~`, or ends in
 * `.html` after its `~`. A segment loses its extension only where the name ends in it; otherwise one more `~` stands
 * before the new one. `contentType`: as in the record; null is HTML.
 */
export function folderPath(url: string, contentType: string | null): string {
  const path = mirrorPath(url);
  const nameAt = path.lastIndexOf("/") + 1;
  return path.slice(0, nameAt) + fileName(path.slice(nameAt), contentType ?? "text/html");
}

function fileName(name: string, contentType: string): string {
  const tildeAt = name.indexOf("~");
  const segment = tildeAt === -1 ? name : name.slice(0, tildeAt);
  const own = /\.([a-z0-9]{1,8})$/i.exec(segment)?.[1]?.toLowerCase() ?? null;
  const extension = extensionOf(contentType, own);
  if (tildeAt === -1) return own === extension ? name : `${name}~.${extension}`;
  if (extension === "html") return name;
  const rest = name.slice(tildeAt, -".html".length);
  if (own !== extension) return `${segment}${rest}~.${extension}`;
  return `${segment.slice(0, -1 - own.length)}${rest}.${extension}`;
}

/** The relative URL that leads from one file of the folder to another. The paths are as `folderPath` returns them. */
export function relativeUrl(from: string, to: string): string {
  const source = from.split("/").slice(0, -1);
  const target = to.split("/");
  let shared = 0;
  while (shared < source.length && source[shared] === target[shared]) shared += 1;
  return [...source.slice(shared).map(() => ".."), ...target.slice(shared).map(encodeSegment)].join("/");
}

/** A path holds escapes as they stand in URLs, so its `%` is a character of the file's name. */
function encodeSegment(segment: string): string {
  return segment.replace(/[^\w.~!$&()*+=@-]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
