/** Reads the links in the headers of an answer, which count like the elements of a page. */

/** Names are in lower case. */
export type AnswerHeaders = readonly (readonly [name: string, value: string])[];

interface HeaderLink {
  /** As written. */
  href: string;
  /** Empty if there is none. */
  rel: string;
  type: string;
}

const LINK = /<([^<>]*)>((?:\s*;\s*[^\s=;,"<]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"<]*))?)*)/g;
const PARAMETER = /;\s*([^\s=;,"<]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"<]*)))?/g;
/** Further links are left out. No server sends as many. */
const MAX_LINKS = 1_000;

/**
 * Returns the links of all `Link` headers, in order. Several headers are joined by commas. A link that is about another
 * document (`anchor`) is left out. If a parameter is written twice, the first counts.
 * https://www.rfc-editor.org/rfc/rfc8288#section-3
 */
export function readHeaderLinks(headers: AnswerHeaders): HeaderLink[] {
  const links: HeaderLink[] = [];
  for (const [name, value] of headers) {
    if (name !== "link") continue;
    for (const [, href = "", written = ""] of value.matchAll(LINK)) {
      if (links.length >= MAX_LINKS) return links;
      const parameters = new Map<string, string>();
      for (const [, key = "", quoted, bare = ""] of written.matchAll(PARAMETER)) {
        const parameter = key.toLowerCase();
        if (!parameters.has(parameter)) parameters.set(parameter, quoted?.replace(/\\(.)/g, "$1") ?? bare);
      }
      const isOurs = href.trim() !== "" && !href.trim().startsWith("#") && !parameters.has("anchor");
      if (isOurs) links.push({ href, rel: parameters.get("rel") ?? "", type: parameters.get("type") ?? "" });
    }
  }
  return links;
}
