/** Recognises where a redirect sends its reader only to send it back: a log-in, a consent, a check of the browser. */

/** Whether a parameter of the target names the page, by its path or its URL. Both URLs are absolute. */
export function leadsBack(target: string, url: string): boolean {
  const page = URL.parse(url);
  const parameters = URL.parse(target)?.searchParams;
  if (page === null || parameters === undefined) return false;
  const { href, origin, pathname, search } = page;
  const names = new Set([href, origin + pathname, pathname + search, pathname]);
  return [...parameters.values()].some((value) => names.has(value));
}
