/**
 * Parts of a canonical URL by slicing: a link's host is asked for more often than a parser is worth.
 *
 * All of these expect what `canonicalize` returns (lower-case host, no userinfo, no trailing dot, a path), and do not check it.
 */

/** The host name and, where it is not the scheme's own, the port: `URL.host`. */
export function hostOf(url: string): string {
  return url.slice(hostStart(url), hostEnd(url));
}

/**
 * The host name without its port, which names the host gate: all ports and both schemes of a host are one machine, and share one
 * pace. IPv6 keeps its brackets.
 */
export function hostKey(url: string): string {
  return hostnameOf(hostOf(url));
}

/** The name in a `URL.host`. */
export function hostnameOf(host: string): string {
  const colon = host.lastIndexOf(":");
  return colon === -1 || host.endsWith("]") ? host : host.slice(0, colon);
}

/** Scheme, host and port, for which a robots.txt speaks (RFC 9309 2.3): `URL.origin`. */
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
