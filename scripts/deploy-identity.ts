import { UserError } from "../src/cli/errors.ts";
import { IDENTITY_KEY_PREFIX, newIdentityKey } from "../src/cli/installation/identity-key.ts";
import { commands, type IdentityOptions } from "./deploy-commands.ts";
import type { Installation } from "./deploy-config.ts";
import { listSecrets, type Say } from "./deploy-steps.ts";
import type { Wrangler } from "./wrangler.ts";

/**
 * The keys with which the Worker signs its requests (Web Bot Auth). Each is a secret, whose name says when it was made.
 * Nobody can read a secret back, so a rotation adds a key and deletes all but one of those before.
 */

/** Returns the address that the requests name, or null if no identity is wanted. */
export async function ensureIdentity(
  { identityAddress, file }: Installation,
  wrangler: Wrangler,
  { identity, rotateIdentity }: IdentityOptions,
  address: string | null,
  at: Date,
  say: Say,
): Promise<string | null> {
  if (!identity && !rotateIdentity) return null;
  const signer = identityAddress ?? address;
  if (signer === null) {
    throw new UserError(
      `An identity needs the Worker's address, and wrangler named none. Set IDENTITY_ADDRESS = "https://..." under [vars] in ${file}, and run this again.`,
    );
  }
  if (identityAddress === undefined)
    await wrangler.ok(commands.putIdentityAddress, "The address of the identity could not be set.", signer);
  const known = (await listSecrets(wrangler)).filter((name) => name.startsWith(IDENTITY_KEY_PREFIX)).sort();
  if (known.length > 0 && !rotateIdentity) {
    say(`Identity    ${signer}; its key is there (another one: npm run deploy -- --rotate-identity)`);
    return signer;
  }
  const { name, secret } = newIdentityKey(at);
  await wrangler.ok(commands.putSecret(name), "The key of the identity could not be set.", secret);
  for (const old of known.slice(0, -1))
    await wrangler.ok(commands.deleteSecret(old), `The old key ${old} could not be deleted.`);
  const before = known.at(-1);
  say(
    before === undefined
      ? `Identity    ${signer}; key made: requests are signed from now on`
      : `Identity    ${signer}; key made: it signs after a day in the directory. ${before} stays beside it until the next rotation`,
  );
  return signer;
}

/** What the operator does next. */
export function farewellToSites(signer: string | null, { userAgent, file }: Installation): string[] {
  if (signer === null) return [];
  return [
    "",
    `Requests are signed as ${signer}. For owners of sites: ${signer}/about-this-crawler`,
    ...(/https?:\/\//.test(userAgent)
      ? []
      : [`Name that page in ${file}, and deploy again: USER_AGENT = "${userAgent} (+${signer}/about-this-crawler)"`]),
    "Sites behind Cloudflare know the key once you have registered it. In the dashboard: Manage Account,",
    "Configurations, Bot Submission Form, verification by Request Signature, with this URL:",
    `  ${signer}/.well-known/http-message-signatures-directory`,
  ];
}
