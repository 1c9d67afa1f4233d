/**
 * The URL in the `content` of `meta http-equiv=refresh`, as written. Null if it names none (it reloads the page) or is
 * not valid. https://html.spec.whatwg.org/multipage/semantics.html#shared-declarative-refresh-steps
 */
export function parseRefresh(content: string): string | null {
  const time = /^[\t\n\f\r ]*[\d.][\d.]*(?:[\t\n\f\r ]*[;,]|[\t\n\f\r ]|$)[\t\n\f\r ]*/.exec(content);
  if (time === null) return null;
  const rest = content.slice(time[0].length).replace(/^url[\t\n\f\r ]*=[\t\n\f\r ]*/i, "");
  const quote = rest[0];
  if (quote !== '"' && quote !== "'") return rest === "" ? null : rest;
  const end = rest.indexOf(quote, 1);
  return rest.slice(1, end === -1 ? undefined : end) || null;
}
