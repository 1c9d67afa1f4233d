import { essenceOf } from "../../core/media-type.ts";
import { extensionOf } from "../../media/kind/file-extensions.ts";

/** Content-Disposition of a stored file (RFC 6266). */

/**
 * Types that a browser shows in a sandbox. It has no viewer for others there, PDF among them, so they are downloaded
 * under their names.
 */
const SHOWN = /^(?:text|image|audio|video|font)\/|^application\/(?:[^;]*\+)?(?:json|xml)$/;
const MAX_NAME = 100;

/** `url`: canonical. `contentType`: the header's value. */
export function fileDisposition(url: string, contentType: string): string {
  const name = fileName(url, contentType);
  const ascii = name.replace(/[^\w.-]/g, "_");
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  const place = SHOWN.test(essenceOf(contentType)) ? "inline" : "attachment";
  return `${place}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** The last segment of the path, or else the host, with the extension of the type. */
function fileName(url: string, contentType: string): string {
  const { hostname, pathname } = new URL(url);
  const last = pathname.split("/").findLast((segment) => segment !== "");
  const written = last === undefined ? hostname : decoded(last).slice(-MAX_NAME);
  const own = last === undefined ? null : (/\.([a-z0-9]{1,8})$/i.exec(written)?.[1]?.toLowerCase() ?? null);
  const extension = extensionOf(contentType, own);
  return own === extension ? written : `${written}.${extension}`;
}

/** A segment may hold anything: control characters and slashes have no place in a name, nor has half a character. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment).replace(/[\p{Cc}\p{Cs}/\\]/gu, "_");
  } catch {
    // It is in no UTF-8, so it stays escaped.
    return segment;
  }
}
