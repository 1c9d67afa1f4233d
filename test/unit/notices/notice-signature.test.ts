import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { firecrawlSignature, isSecret, makeSecret, signedHeaders } from "../../../src/notices/notice-signature.ts";

/** Signatures, against the example of the specification's own tests and the official library. */

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

test("an example of the official library's tests has its signature", async () => {
  const signed = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestampS: 1_614_265_330, body: '{"test": 2432232314}' };
  expect(await signedHeaders(SECRET, signed)).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test.each(['{"type":"crawl.completed"}', '{"title":"爬虫 \u{1f577} é"}', "{}"])(
  "the official library accepts %s, and nothing that was changed",
  async (body) => {
    const secret = makeSecret();
    const now = Math.floor(Date.now() / 1_000);
    const headers = await signedHeaders(secret, { id: "msg_1", timestampS: now, body });
    const receiver = new Webhook(secret);
    expect(receiver.verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => receiver.verify(`${body} `, headers)).toThrow("No matching signature");
    expect(() => receiver.verify(body, { ...headers, "webhook-id": "msg_2" })).toThrow("No matching signature");
    const old = await signedHeaders(secret, { id: "msg_1", timestampS: now - 301, body });
    expect(() => receiver.verify(body, old)).toThrow("too old");
    expect(() => new Webhook(makeSecret()).verify(body, headers)).toThrow("No matching signature");
  },
);

describe("a secret", () => {
  const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 0xfb).toString("base64")}`;

  test.each([
    [SECRET, true],
    [secretOf(24), true],
    [secretOf(64), true],
    [secretOf(23), false],
    [secretOf(65), false],
    [SECRET.slice("whsec_".length), false],
    [`whsk_${SECRET.slice("whsec_".length)}`, false],
    [SECRET.slice(0, -1), false],
    [SECRET.replace("M", "-"), false],
    [`${SECRET}====`, false],
    ["whsec_", false],
    ["", false],
  ])("%s is one: %s", (text, is) => {
    expect(isSecret(text)).toBe(is);
  });

  test("is new each time, and has 32 bytes", () => {
    const secrets = Array.from({ length: 100 }, makeSecret);
    expect(new Set(secrets).size).toBe(100);
    expect(secrets.every(isSecret)).toBe(true);
    expect(Buffer.from(secrets[0]?.slice(6) ?? "", "base64").byteLength).toBe(32);
  });
});

test("a signature of Firecrawl's form is the HMAC of the body in hexadecimal", async () => {
  // printf '{"a":1}' | openssl dgst -sha256 -hmac key
  expect(await firecrawlSignature("key", '{"a":1}')).toBe(
    "sha256=88a67f24bbcdaed0e6c997404bb79a743baf44c6bab2f4c27328e3009d22e342",
  );
});
