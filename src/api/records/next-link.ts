/**
 * The value of a Link header (RFC 8288) that names the next part of an answer: the same request with this cursor. It is
 * relative to the requested address, because a proxy may have rewritten the origin.
 */
export function nextLink(requested: string, cursor: string): string {
  const { pathname, searchParams } = new URL(requested);
  searchParams.set("cursor", cursor);
  return `<${pathname}?${searchParams}>; rel="next"`;
}
