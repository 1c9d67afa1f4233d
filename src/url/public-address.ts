import { compileBlock, ipv4Bits, isInBlock } from "./address-block.ts";

/**
 * Decides by its name whether a host can be on the public Internet. This keeps a crawl out of the network that it runs
 * in.
 */

/**
 * Blocks of IPv4 that are not globally reachable: IANA's Special-Purpose Address Registry (RFC 6890, RFC 8190,
 * https://www.iana.org/assignments/iana-ipv4-special-registry), multicast (RFC 5771), and Azure's virtual metadata
 * host, whose number alone is public.
 */
const PRIVATE_IPV4 = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private use
  "100.64.0.0/10", // shared by carrier-grade NAT
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // Azure's WireServer
  "169.254.0.0/16", // link-local, and most clouds' metadata
  "172.16.0.0/12", // private use
  "192.0.0.0/24", // IETF protocol assignments
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // 6to4 relays, deprecated
  "192.168.0.0/16", // private use
  "198.18.0.0/15", // benchmarking
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, and limited broadcast
].map(compileBlock);

const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;

/**
 * Suffixes of names that only a local network resolves: RFC 6761 and 6762, RFC 8375, ICANN's reservation of `internal`,
 * unreserved names in common use (RFC 6762, appendix G), and Linux's name for a host without a domain.
 */
const PRIVATE_SUFFIXES =
  ".localhost .local .internal .home.arpa .intranet .private .corp .home .lan .localdomain".split(" ");

/**
 * Returns false for addresses and names that are private, loopback, link-local, multicast, documentation or otherwise
 * special, for names of one label, and for text that is no host. `hostname` is `URL.hostname`; other spellings
 * (`0x7f.1`, upper case, a trailing dot) are converted to it first, so none slips through.
 *
 * It cannot see that a public name resolves to a private address.
 */
export function isPublicHost(hostname: string): boolean {
  if (isPlainName(hostname)) return isPublicName(hostname);
  if (/[/\\?#@]/.test(hostname)) return false;
  const normal = URL.parse(`http://${hostname}/`)?.hostname ?? "";
  if (normal.startsWith("[")) return isPublicIpv6(normal);
  const name = normal.endsWith(".") ? normal.slice(0, -1) : normal;
  return IPV4.test(name) ? isPublicIpv4(name) : isPublicName(name);
}

/** Whether a `URL.hostname` is an IP address, which needs no resolving. */
export function isAddress(hostname: string): boolean {
  return hostname.startsWith("[") || IPV4.test(hostname);
}

/**
 * Whether it has only lower-case letters, digits, `-`, `_` and dots, with a letter first in the last label. WHATWG URL
 * 3.5 reads no such name as a number.
 */
function isPlainName(hostname: string): boolean {
  let lastLabelAt = 0;
  for (let at = 0; at < hostname.length; at++) {
    const code = hostname.charCodeAt(at);
    if (code === 46 /* . */) lastLabelAt = at + 1;
    else if (!isLetter(code) && !(code >= 48 && code <= 57) && code !== 45 /* - */ && code !== 95 /* _ */) return false;
  }
  return isLetter(hostname.charCodeAt(lastLabelAt));
}

function isLetter(code: number): boolean {
  return code >= 97 && code <= 122;
}

function isPublicName(name: string): boolean {
  if (name.startsWith(".") || name.includes("..")) return false;
  return name.includes(".") && !PRIVATE_SUFFIXES.some((suffix) => name.endsWith(suffix) || name === suffix.slice(1));
}

function isPublicIpv4(address: string): boolean {
  const bits = ipv4Bits(address);
  return !PRIVATE_IPV4.some((block) => isInBlock(bits, block));
}

/**
 * Only global unicast, 2000::/3, is public, except 2001::/23 (IETF assignments, with Teredo, benchmarking and ORCHID),
 * 2001:db8::/32 and 3fff::/20 (documentation), and 2002::/16 (6to4, which wraps any IPv4 address). This also refuses
 * unspecified, loopback, IPv4-mapped and -compatible, NAT64 (64:ff9b::/96, 64:ff9b:1::/48), discard-only, unique local,
 * link-local and multicast addresses. RFC 4291 2.4; https://www.iana.org/assignments/iana-ipv6-special-registry.
 */
function isPublicIpv6(bracketed: string): boolean {
  // WHATWG's serialisation is compressed, so an empty first or second part means zeros.
  const [first = "", second = ""] = bracketed.slice(1, -1).split(":");
  const high = Number.parseInt(first || "0", 16);
  const low = Number.parseInt(second || "0", 16);
  if (high < 0x2000 || high > 0x3fff) return false;
  if (high === 0x2001) return low >= 0x0200 && low !== 0x0db8;
  if (high === 0x3fff) return low >= 0x1000;
  return high !== 0x2002;
}
