/** Finds the name by which robots.txt knows a crawler in the User-Agent header that it sends (RFC 9309, section 2.2.1). */

const TOKEN = /[A-Za-z_-]+/;
const LEADING_TOKEN = /^[A-Za-z_-]+/;
const COMMENT = /\(([^()]*)\)/g;

/**
 * "Orbweaver/0.1 (+https://x)" is Orbweaver. A header that poses as a browser's is known by the comment that presents the crawler:
 * "Mozilla/5.0 (compatible; Foobot/2.1; +http://x)" is Foobot. Only letters, "_" and "-", as the section demands; empty if the
 * header has none of them, and then only `*` groups apply.
 */
export function productToken(userAgent: string): string {
  const first = TOKEN.exec(userAgent)?.[0] ?? "";
  if (first.toLowerCase() !== "mozilla") return first;
  return presentedToken(userAgent) ?? first;
}

/** The name after "compatible", or else the first one in a comment that also gives a web address. */
function presentedToken(userAgent: string): string | null {
  const comments = [...userAgent.matchAll(COMMENT)].map((comment) =>
    (comment[1] ?? "").split(";").map((part) => part.trim()),
  );
  for (const parts of comments) {
    const compatible = parts.findIndex((part) => part.toLowerCase() === "compatible");
    const token = compatible === -1 ? null : firstName(parts.slice(compatible + 1));
    if (token !== null) return token;
  }
  for (const parts of comments) {
    const token = parts.some(isAddress) ? firstName(parts) : null;
    if (token !== null) return token;
  }
  return null;
}

function firstName(parts: string[]): string | null {
  for (const part of parts) {
    const token = isAddress(part) ? undefined : LEADING_TOKEN.exec(part)?.[0];
    if (token !== undefined) return token;
  }
  return null;
}

function isAddress(part: string): boolean {
  return part.includes("://") || part.includes("@");
}
