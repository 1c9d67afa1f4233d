import type { Link, PageLink } from "../../media/links/links.ts";
import { findAction } from "../../scope/action-links.ts";
import { compileUrlPattern } from "../../scope/url-pattern.ts";

/**
 * Takes the links out of a page's that a crawl with a session does not follow, by what the page says of them. Scope
 * refuses others by their URLs alone. `allow`: patterns of those that are followed; null without a session.
 */
export function leaveOutActions(
  links: readonly Link[],
  pageLinks: readonly PageLink[],
  allow: readonly string[] | null,
): { follow: Link[]; actions: Link[] } {
  if (allow === null) return { follow: [...links], actions: [] };
  const allowed = allow.map(compileUrlPattern);
  // A URL may stand in several links, of which one says what it does.
  const found = new Set([...links, ...pageLinks].flatMap((link) => (findAction(link) === null ? [] : [link.url])));
  const isAction = ({ url }: Link) => found.has(url) && !allowed.some((matches) => matches(url));
  return { follow: links.filter((link) => !isAction(link)), actions: links.filter(isAction) };
}
