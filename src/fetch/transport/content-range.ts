/** The Content-Range header. https://www.rfc-editor.org/rfc/rfc9110#section-14.4 */

export interface ContentRange {
  start: number;
  /** The size of the whole file; null if the server does not know it. */
  size: number | null;
}

/** Null if the header is missing or malformed. */
export function parseContentRange(header: string | null): ContentRange | null {
  const [, from = "", to = "", all = ""] =
    /^\s*bytes\s+(\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)\s*$/i.exec(header ?? "") ?? [];
  const start = Number(from);
  const end = Number(to);
  const size = all === "*" ? null : Number(all);
  if (from === "" || end < start || (size !== null && end >= size)) return null;
  return { start, size };
}
