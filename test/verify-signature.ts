import { createHash, createPublicKey, verify } from "node:crypto";

/**
 * A verifier of HTTP message signatures that shares nothing with the one that signs: written from RFC 9421, sections
 * 2.5 and 3.2, for what Web Bot Auth uses of it.
 */

export interface SignedMessage {
  /** The request's URL; of a response, that of its request. */
  url: string;
  headers: Record<string, string | undefined>;
  isResponse?: boolean;
}

export interface PublicJwk {
  kty: string;
  crv: string;
  x: string;
  kid?: string;
}

export interface Verified {
  /** The component identifiers, as they are written in Signature-Input. */
  components: string[];
  parameters: Record<string, string | number>;
}

/** The signature of a label. Throws if it is not valid for the key that its keyid names. `now` in seconds. */
export function verifySignature(message: SignedMessage, label: string, keys: PublicJwk[], now: number): Verified {
  const input = memberOf(message.headers["signature-input"] ?? "", label);
  const signature = /^:([A-Za-z0-9+/=]+):$/.exec(memberOf(message.headers.signature ?? "", label))?.[1];
  if (signature === undefined) throw new Error("the signature is not a byte sequence");
  const [, list = "", rest = ""] = /^\(([^)]*)\)(.*)$/.exec(input) ?? [];
  const components = list.match(/"[^"]*"(?:;[a-z]+(?:="[^"]*")?)*/g) ?? [];
  const lines = components.map((identifier) => `${identifier}: ${componentValue(identifier, message)}`);
  const base = [...lines, `"@signature-params": ${input}`].join("\n");
  const parameters = Object.fromEntries(
    [...rest.matchAll(/;([a-z]+)=(?:"([^"]*)"|(\d+))/g)].map(([, name, text, number]) => [
      name,
      text ?? Number(number),
    ]),
  ) as Verified["parameters"];
  const key = keys.find((key) => thumbprint(key) === parameters.keyid);
  if (key === undefined) throw new Error(`no key is called ${parameters.keyid}`);
  const publicKey = createPublicKey({ key: { kty: key.kty, crv: key.crv, x: key.x }, format: "jwk" });
  if (!verify(null, Buffer.from(base), publicKey, Buffer.from(signature, "base64"))) throw new Error("it is not valid");
  const { created = Number.NaN, expires = Number.NaN } = parameters;
  if (!(Number(created) <= now && now < Number(expires))) throw new Error("it is not valid now");
  return { components, parameters };
}

/** RFC 7638 and RFC 8037, appendix A.3. */
function thumbprint({ crv, kty, x }: PublicJwk): string {
  return createHash("sha256").update(`{"crv":"${crv}","kty":"${kty}","x":"${x}"}`).digest("base64url");
}

/** The member of a dictionary (RFC 9651, section 3.2), as it is written. */
function memberOf(dictionary: string, key: string): string {
  for (const [, name, value = ""] of dictionary.matchAll(/(?:^|, *)([a-z0-9_.*-]+)=((?:"[^"]*"|[^",])*)/g))
    if (name === key) return value.trim();
  throw new Error(`there is no member ${key} in ${dictionary}`);
}

/** RFC 9421, sections 2.1 and 2.2. */
function componentValue(identifier: string, { url, headers, isResponse = false }: SignedMessage): string {
  const [, name = "", parameters = ""] = /^"([^"]*)"(.*)$/.exec(identifier) ?? [];
  if (name === "@authority") {
    if (isResponse !== (parameters === ";req")) throw new Error(`${identifier} is not a part of this message`);
    return new URL(url).host;
  }
  const value = headers[name];
  if (value === undefined) throw new Error(`there is no header ${name}`);
  const key = /^;key="([^"]*)"$/.exec(parameters)?.[1];
  return key === undefined ? value.trim() : memberOf(value, key);
}
