/** Completes a URL that somebody has typed. */

/** Adds https:// like a browser, except to localhost and IP addresses: local servers rarely speak TLS. */
export function withScheme(url: string): string {
  if (url.includes("://")) return url;
  return /^(localhost|\d+(\.\d+){3}|\[[\da-f:.]+\])([:/]|$)/i.test(url) ? `http://${url}` : `https://${url}`;
}
