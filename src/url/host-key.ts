/**
 * Parts of a canonical URL by slicing, because a parser is too slow for what each link needs.
 *
 * All functions expect what `canonicalize` returns (lower-case host, no userinfo, no trailing dot, a path), and do not
 * check it.
 */

/** `URL.host`: the host name, and the port unless it is the scheme's default. */
export function hostOf(url: string): string {
  return url.slice(hostStart(url), hostEnd(url));
}

/**
 * The host name without its port. It names the host gate: all ports and both schemes of a host are one machine, and
 * share one pace. IPv6 keeps its brackets.
 */
export function hostKey(url: string): string {
  return hostnameOf(hostOf(url));
}

/** Removes the port from a `URL.host`. */
export function hostnameOf(host: string): string {
  const colon = host.lastIndexOf(":");
  return colon === -1 || host.endsWith("]") ? host : host.slice(0, colon);
}

/** `URL.origin`: scheme, host and port, for which one robots.txt is valid (RFC 9309 2.3). */
export function originOf(url: string): string {
  return url.slice(0, hostEnd(url));
}

/** Path and query, from the path's `/`. */
export function pathAndQueryOf(url: string): string {
  return url.slice(hostEnd(url));
}

function hostStart(url: string): number {
  return url.charCodeAt(4) === 58 /* : */ ? 7 : 8;
}

function hostEnd(url: string): number {
  const slash = url.indexOf("/", hostStart(url));
  return slash === -1 ? url.length : slash;
}
