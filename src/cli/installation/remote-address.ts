import { UserError } from "../errors.ts";

/** Keeps the token of a remote installation from networks on which everybody could read it. */

/** The loopback addresses as the URL parser writes them, and the names that RFC 6761, section 6.3, keeps for them. */
const LOOPBACK = /^(?:127(?:\.\d+){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\]|(?:.+\.)?localhost\.?)$/;

/** Throws UserError if the token would go unencrypted to another machine, and nobody has allowed that. */
export function requireEncryption(remote: string, isAllowed: boolean): void {
  const { protocol, hostname, origin } = new URL(remote);
  if (protocol === "https:" || isAllowed || LOOPBACK.test(hostname)) return;
  throw new UserError(
    `${origin} would get the token unencrypted, and everybody on the way could read it. Use https://, or add --insecure-http if you trust the network in between.`,
    2,
  );
}
