import { generateKeyPairSync } from "node:crypto";
import { type Identity, identityIn } from "../src/fetch/request/identity.ts";
import { keyDirectory } from "../src/fetch/request/key-directory.ts";
import { signatureHeaders } from "../src/fetch/request/sign-request.ts";

/** CPU time of a signed request and of the key directory, in Node: `npm run bench:signature`. */

const ROUNDS = 10_000;

const { privateKey } = generateKeyPairSync("ed25519");
const env = {
  IDENTITY_ADDRESS: "https://crawler.example",
  IDENTITY_KEY_20260101T000000Z: JSON.stringify(privateKey.export({ format: "jwk" })),
};

async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  // The first loads the library and imports the key.
  for (let i = 0; i < 100; i++) await work();
  const before = process.cpuUsage();
  for (let i = 0; i < ROUNDS; i++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / ROUNDS;
}

const url = "https://example.com/a/page?with=a&query=string";
const unsigned = await cpuMsOf(() => signatureHeaders(url, {}));
const signed = await cpuMsOf(() => signatureHeaders(url, env));
const directory = await cpuMsOf(() => keyDirectory(identityIn(env) as Identity, "crawler.example", 1_750_000_000_000));
console.log(`a request without an identity: ${unsigned.toFixed(4)} ms of CPU time`);
console.log(`a signed request: ${signed.toFixed(4)} ms`);
console.log(`the key directory: ${directory.toFixed(4)} ms`);
