/** The tokens of an installation and their rights: API_TOKEN has tokens with all rights, READ_TOKEN read-only ones. */

export type Access = "all" | "read";

/** Only the digest of a token is passed on, to compare, to count and to sign. The token itself is never stored. */
export interface Identity {
  digest: ArrayBuffer;
  access: Access;
}

const encoder = new TextEncoder();

/** All accepted tokens. If a token is in both secrets, API_TOKEN comes first and decides. */
export function acceptedBy({ API_TOKEN, READ_TOKEN }: Env): Promise<Identity[]> {
  const all = [...tokensOf(API_TOKEN, "all"), ...tokensOf(READ_TOKEN, "read")];
  return Promise.all(all.map(async ({ token, access }) => ({ digest: await digestOf(token), access })));
}

/** Compares with all digests in constant time, so that timing reveals nothing about the tokens. */
export async function identityOfToken(given: string, accepted: readonly Identity[]): Promise<Identity | null> {
  const digest = await digestOf(given);
  const matches = accepted.map((each) => crypto.subtle.timingSafeEqual(each.digest, digest));
  return accepted[matches.indexOf(true)] ?? null;
}

function tokensOf(secret = "", access: Access): { token: string; access: Access }[] {
  return secret
    .split(/\s+/)
    .filter((token) => token !== "")
    .map((token) => ({ token, access }));
}

export function digestOf(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest("SHA-256", encoder.encode(text));
}
