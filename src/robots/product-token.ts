/** Finds the product token, by which robots.txt names a crawler, in its User-Agent header (RFC 9309, section 2.2.1). */

const TOKEN = /[A-Za-z_-]+/;
const LEADING_TOKEN = /^[A-Za-z_-]+/;
const COMMENT = /\(([^()]*)\)/g;

/**
 * The token of "Orbweaver/0.2 (+https://x)" is Orbweaver. If a header begins like a browser's, a comment names the
 * crawler: the token of "Mozilla/5.0 (compatible; Foobot/2.1; +http://x)" is Foobot. A token has only letters, "_" and
 * "-"; it is empty if the header has none, and then only `*` groups apply.
 */
export function productToken(userAgent: string): string {
  const first = TOKEN.exec(userAgent)?.[0] ?? "";
  if (first.toLowerCase() !== "mozilla") return first;
  return commentToken(userAgent) ?? first;
}

/** The name after "compatible", or else the first name in a comment with a web or mail address. */
function commentToken(userAgent: string): string | null {
  const comments = [...userAgent.matchAll(COMMENT)].map((comment) =>
    (comment[1] ?? "").split(";").map((part) => part.trim()),
  );
  for (const parts of comments) {
    const compatible = parts.findIndex((part) => part.toLowerCase() === "compatible");
    const token = compatible === -1 ? null : firstName(parts.slice(compatible + 1));
    if (token !== null) return token;
  }
  for (const parts of comments) {
    const token = parts.some(isContactAddress) ? firstName(parts) : null;
    if (token !== null) return token;
  }
  return null;
}

function firstName(parts: string[]): string | null {
  for (const part of parts) {
    const token = isContactAddress(part) ? undefined : LEADING_TOKEN.exec(part)?.[0];
    if (token !== undefined) return token;
  }
  return null;
}

function isContactAddress(part: string): boolean {
  return part.includes("://") || part.includes("@");
}
