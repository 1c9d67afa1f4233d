/**
 * Hashes an element's id to 32 bits: a page's ids are kept to find links to missing fragments, and nobody reads them.
 * FNV-1a over UTF-16 units: https://datatracker.ietf.org/doc/html/draft-eastlake-fnv
 */
export function hashId(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
