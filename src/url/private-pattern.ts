import { compileBlock, ipv4Bits, isInBlock } from "./address-block.ts";
import { hostnameOf } from "./host-key.ts";
import { matchesHost } from "./own-host.ts";
import { isPublicHost } from "./public-address.ts";

/** What `allowPrivate` names: a host as `matchesHost` reads it, or a block of IPv4 addresses such as `10.0.0.0/8`. */

const BLOCK = /^(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})$/;
const HOST = /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;
/** A shorter prefix has addresses of everybody. */
const LEAST_PREFIX = 8;

/** Why a text is no such pattern, for people; null if it is one. In lower case. */
export function privatePatternProblem(pattern: string): string | null {
  const [, address, prefix] = BLOCK.exec(pattern) ?? [];
  if (address !== undefined) {
    const isAddress = address.split(".").every((part) => Number(part) <= 255);
    if (!isAddress || Number(prefix) < LEAST_PREFIX || Number(prefix) > 32)
      return `it is no block of IPv4 addresses with a prefix of ${LEAST_PREFIX} to 32, such as 10.0.0.0/8`;
    return isPublicHost(address) ? "its addresses are public, and need no permission" : null;
  }
  if (!HOST.test(pattern))
    return "it is no host, such as wiki.internal, nas.local:8080 or *.corp.example, and no block such as 10.0.0.0/8";
  return null;
}

/** `host`: a `URL.host`. A block matches an address that stands in the URL, not one to which a name resolves. */
export function matchesPrivate(pattern: string, host: string): boolean {
  if (!BLOCK.test(pattern)) return matchesHost(pattern, host);
  const hostname = hostnameOf(host);
  return IPV4.test(hostname) && isInBlock(ipv4Bits(hostname), compileBlock(pattern));
}
