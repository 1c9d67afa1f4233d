import { describe, expect, it } from "vitest";
import { verify } from "web-bot-auth"; // Cloudflare's library, whose verifier is the reference
import { verifierFromJWK } from "web-bot-auth/crypto";
import { type Identity, identityIn, signingKey, thumbprintOf } from "../../../src/fetch/request/identity.ts";
import { keyDirectory } from "../../../src/fetch/request/key-directory.ts";
import { signatureHeaders, signGet } from "../../../src/fetch/request/sign-request.ts";
import { verifySignature } from "../../verify-signature.ts";

/** The test key of RFC 9421, appendix B.1.4. */
const JWK = {
  kty: "OKP",
  crv: "Ed25519",
  d: "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU",
  x: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs",
} as const;
const KEY_ID = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";
/** Another one, of RFC 8037, appendix A.1. */
const OTHER = {
  kty: "OKP",
  crv: "Ed25519",
  d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
  x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
} as const;

const CREATED_S = 1_735_689_600;
const ENV = {
  IDENTITY_ADDRESS: "https://signature-agent.test",
  IDENTITY_KEY_20241231T000000Z: JSON.stringify(JWK),
};
const TWO_KEYS = { ...ENV, IDENTITY_KEY_20250115T120000Z: JSON.stringify(OTHER) };
const IDENTITY = identityIn(ENV) as Identity;

describe("a signed request", () => {
  it("is that of the draft's test vector", async () => {
    const nonce = "e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg==";
    expect(await signGet("https://example.com/path", IDENTITY, CREATED_S * 1_000, nonce, 3_600)).toEqual({
      "signature-agent": '"https://signature-agent.test"',
      "signature-input": `sig1=("@authority" "signature-agent");created=1735689600;keyid="${KEY_ID}";alg="ed25519";expires=1735693200;nonce="${nonce}";tag="web-bot-auth"`,
      signature: "sig1=:jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==:",
    });
  });

  const urls = [
    "https://example.com/",
    "http://example.com/a?b=c",
    "http://127.0.0.1:8123/robots.txt",
    "https://b%C3%BCcher.example/".replace("b%C3%BCcher", "xn--bcher-kva"),
    "https://example.com/%C3%A4?q=%22;a=%22",
    "http://[::1]:8080/",
  ];
  it.each(urls)("of %s is valid for a verifier written from the RFC", async (url) => {
    for (const form of ["string", "dictionary"] as const) {
      const headers = await signGet(url, { ...IDENTITY, form }, CREATED_S * 1_000, "bm9uY2U=");
      const { parameters, components } = verifySignature({ url, headers }, "sig1", [OTHER, JWK], CREATED_S + 59);
      expect(parameters).toMatchObject({ tag: "web-bot-auth", keyid: KEY_ID, expires: CREATED_S + 60 });
      expect(components).toEqual([
        '"@authority"',
        form === "string" ? '"signature-agent"' : '"signature-agent";key="sig1"',
      ]);
    }
  });

  it("is valid for the library's own verifier", async () => {
    const url = "https://example.com/a";
    const headers = await signatureHeaders(url, ENV);
    await expect(
      verify({ method: "GET", url, headers }, await verifierFromJWK({ ...JWK, d: undefined })),
    ).resolves.toBeUndefined();
    const elsewhere = { method: "GET", url: "https://other.example/a", headers };
    await expect(verify(elsewhere, await verifierFromJWK(JWK))).rejects.toThrow("invalid signature");
  });

  it("is not valid for another host, another key, another address, or later", async () => {
    const url = "https://example.com/";
    const headers = await signGet(url, IDENTITY, CREATED_S * 1_000, "bm9uY2U=");
    const check = (changed: object, keys = [JWK], now = CREATED_S) =>
      verifySignature({ url, headers, ...changed }, "sig1", keys as never, now);
    expect(() => check({})).not.toThrow();
    expect(() => check({ url: "https://www.example.com/" })).toThrow("not valid");
    expect(() => check({ headers: { ...headers, "signature-agent": '"https://else.test"' } })).toThrow("not valid");
    expect(() => check({}, [OTHER] as never)).toThrow("no key");
    expect(() => check({}, [JWK], CREATED_S + 60)).toThrow("not valid now");
  });

  it("has another nonce each time", async () => {
    const nonces = await Promise.all(
      Array.from(
        { length: 5 },
        async () =>
          /nonce="([^"]+)"/.exec((await signatureHeaders("https://a.test/", ENV))["signature-input"] ?? "")?.[1],
      ),
    );
    expect(new Set(nonces).size).toBe(5);
    for (const nonce of nonces) expect(Buffer.from(nonce ?? "", "base64")).toHaveLength(64);
  });
});

describe("an identity", () => {
  it.each<[string, Record<string, string>]>([
    ["no key", { IDENTITY_ADDRESS: ENV.IDENTITY_ADDRESS }],
    ["no address", { IDENTITY_KEY_20241231T000000Z: JSON.stringify(JWK) }],
    ["an address that is not https", { ...ENV, IDENTITY_ADDRESS: "http://signature-agent.test" }],
    ["an address that is none", { ...ENV, IDENTITY_ADDRESS: "signature-agent.test" }],
    ["a name without a time", { IDENTITY_ADDRESS: ENV.IDENTITY_ADDRESS, IDENTITY_KEY_OLD: JSON.stringify(JWK) }],
    [
      "a time that is none",
      { IDENTITY_ADDRESS: ENV.IDENTITY_ADDRESS, IDENTITY_KEY_20241399T000000Z: JSON.stringify(JWK) },
    ],
    ["a key that is no JSON", { ...ENV, IDENTITY_KEY_20241231T000000Z: "{" }],
    ["a public key", { ...ENV, IDENTITY_KEY_20241231T000000Z: JSON.stringify({ ...JWK, d: undefined }) }],
  ])("is none with %s", async (_, env) => {
    expect(identityIn(env)).toBeNull();
    expect(await signatureHeaders("https://example.com/", env)).toEqual({});
  });

  it("signs with a new key when it has stood in the directory for a day", () => {
    const identity = identityIn(TWO_KEYS) as Identity;
    const [mine, other] = [KEY_ID, thumbprintOf(OTHER)];
    expect(identity.keys.map(({ id }) => id)).toEqual([other, mine]);
    const idAt = (time: string) => signingKey(identity, Date.parse(time)).id;
    expect(idAt("2025-01-15T12:00:01Z")).toBe(mine);
    expect(idAt("2025-01-16T11:59:59Z")).toBe(mine);
    expect(idAt("2025-01-16T12:00:00Z")).toBe(other);
    expect(signingKey(IDENTITY, Date.parse("2024-12-31T00:00:01Z")).id).toBe(mine);
  });
});

describe("the key directory", () => {
  it("is that of the draft's test vector", async () => {
    const { body, headers } = await keyDirectory(IDENTITY, "signature-agent.test", CREATED_S * 1_000, 3_153_600_000);
    expect(body).toBe(`{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"${KEY_ID}","x":"${JWK.x}","use":"sig"}]}`);
    expect(headers.get("content-type")).toBe("application/http-message-signatures-directory+json");
    expect(headers.get("content-digest")).toBe("sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:");
    expect(headers.get("signature-input")).toBe(
      `binding=("@authority";req "content-digest");created=1735689600;expires=4889289600;keyid="${KEY_ID}";tag="http-message-signatures-directory"`,
    );
    expect(headers.get("signature")).toBe(
      "binding=:l6P8R67tm3kujAxbHWio7ll01qrEZ0dKD/WWlGhNYEmTnFZM8Wt0VQ9zqGfvo7T/UMkBxsigzChM1Gpz7gOVBg==:",
    );
  });

  it("is signed by each of its keys, and holds no private one", async () => {
    const identity = identityIn(TWO_KEYS) as Identity;
    const { body, headers } = await keyDirectory(identity, "localhost:8787", CREATED_S * 1_000);
    const { keys } = JSON.parse(body);
    const message = { url: "https://localhost:8787/", headers: Object.fromEntries(headers), isResponse: true };
    const ids = ["binding", "binding1"].map(
      (label) => verifySignature(message, label, keys, CREATED_S + 3_600).parameters.keyid,
    );
    expect(ids).toEqual([thumbprintOf(OTHER), KEY_ID]);
    for (const secret of [JWK.d, OTHER.d]) expect(body + JSON.stringify([...headers])).not.toContain(secret);
  });
});
