/** The tokens of an installation, and what each may do: those of API_TOKEN everything, those of READ_TOKEN only reading. */

export type Access = "all" | "read";

/** Of a token the digest alone is handed on: it is compared, counted and signed with, and the token itself is nowhere else. */
export interface Identity {
  digest: ArrayBuffer;
  access: Access;
}

const encoder = new TextEncoder();

/** All that are let in; of a token that stands in both secrets, the first says what it may. */
export function acceptedBy({ API_TOKEN, READ_TOKEN }: Env): Promise<Identity[]> {
  const all = [...tokensOf(API_TOKEN, "all"), ...tokensOf(READ_TOKEN, "read")];
  return Promise.all(all.map(async ({ token, access }) => ({ digest: await digestOf(token), access })));
}

/** Compares digests, and each of them, so that the time taken says nothing about the tokens. */
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

function digestOf(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest("SHA-256", encoder.encode(text));
}
