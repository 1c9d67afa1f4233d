import { createExecutionContext, env } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { site } from "../../src/console/site.tsx";
import { getLeniently } from "../../src/fetch/transport/get-leniently.ts";
import { get } from "../../src/fetch/transport/http.ts";
import { type PublicJwk, verifySignature } from "../verify-signature.ts";

/** What the installation says of itself, and that its requests carry it. */

/** The test key of RFC 9421, appendix B.1.4. */
const JWK = {
  kty: "OKP",
  crv: "Ed25519",
  d: "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU",
  x: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs",
} as const;
const KEY_ID = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";
const IDENTITY = { IDENTITY_ADDRESS: "https://crawler.test", IDENTITY_KEY_20260101T000000Z: JSON.stringify(JWK) };
const DIRECTORY = "/.well-known/http-message-signatures-directory";

async function open(path: string, changes: Partial<Env> = {}, headers: Record<string, string> = {}) {
  const request = new Request(`https://crawler.test${path}`, { headers });
  return site.request(request, {}, { ...env, ...changes }, createExecutionContext());
}

afterEach(() => vi.restoreAllMocks());

describe("a request of the fetcher", () => {
  function watchFetch(): { url: string; headers: Record<string, string> }[] {
    const seen: { url: string; headers: Record<string, string> }[] = [];
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      seen.push({ url: String(input), headers: Object.fromEntries(new Headers(init?.headers as HeadersInit)) });
      return new Response("ok");
    });
    return seen;
  }

  it("is signed for its own host, with the installation's clock", async () => {
    const seen = watchFetch();
    const changes = { ...IDENTITY, CLOCK: "2030-01-01T00:00:00Z 1 2020-01-01T00:00:00Z" };
    const now = Date.parse("2030-01-01T00:00:00Z") + Date.now() - Date.parse("2020-01-01T00:00:00Z");
    for (const url of ["https://a.test/x", "https://b.test:8443/y"]) {
      const asked = { url, headers: { "user-agent": "Test/1" }, mayBePrivate: false };
      await get(asked, new AbortController().signal, { ...env, ...changes });
    }
    expect(seen).toHaveLength(2);
    for (const request of seen) {
      const { parameters } = verifySignature(request, "sig1", [JWK], Math.floor(now / 1_000) + 5);
      expect(parameters).toMatchObject({ keyid: KEY_ID, tag: "web-bot-auth" });
      expect(request.headers["user-agent"]).toBe("Test/1");
    }
    const [a, b] = seen;
    expect(() => verifySignature({ ...b, url: a?.url } as never, "sig1", [JWK], Math.floor(now / 1_000) + 5)).toThrow();
  });

  it("is signed too where another program sends it", async () => {
    const orders: { url: string; headers: Record<string, string> }[] = [];
    const diagnosis = {
      fetch: async (_: string, { body }: { body: string }) => {
        orders.push(JSON.parse(body));
        return new Response(
          `${JSON.stringify({ status: 200, statusText: "", headers: [], broken: null, fault: null })}\n`,
        );
      },
    } as unknown as Fetcher;
    const asked = {
      url: "http://a.test/x",
      headers: { "user-agent": "Test/1" },
      timeoutMs: 1_000,
      mayBePrivate: false,
    };
    await getLeniently(asked, new AbortController().signal, { ...env, ...IDENTITY }, diagnosis);
    const [order] = orders;
    expect(order?.headers["user-agent"]).toBe("Test/1");
    verifySignature(order as never, "sig1", [JWK], Math.floor(Date.now() / 1_000) + 1);
  });

  it("is not signed without a key", async () => {
    const seen = watchFetch();
    const asked = { url: "https://a.test/x", headers: {}, mayBePrivate: false };
    await get(asked, new AbortController().signal, { ...env, ALLOW_PRIVATE: "false" });
    expect(Object.keys(seen[0]?.headers ?? {}).filter((name) => name.startsWith("signature"))).toEqual([]);
  });
});

describe("the key directory", () => {
  it("is signed for the address at which it was asked for", async () => {
    const response = await open(DIRECTORY, IDENTITY);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/http-message-signatures-directory+json");
    expect(response.headers.get("cache-control")).toContain("no-transform");
    const body = await response.text();
    expect(body).not.toContain(JWK.d);
    const { keys } = JSON.parse(body) as { keys: PublicJwk[] };
    const message = { url: `https://crawler.test${DIRECTORY}`, headers: Object.fromEntries(response.headers) };
    const check = (url: string) =>
      verifySignature({ ...message, url, isResponse: true }, "binding", keys, Math.floor(Date.now() / 1_000) + 1);
    expect(check(message.url).parameters.keyid).toBe(KEY_ID);
    expect(() => check("https://mirror.test/")).toThrow("not valid");
  });

  it("is not there without a key", async () => {
    const response = await open(DIRECTORY);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain("does not sign");
  });
});

describe("the page about the crawler", () => {
  it("says how to verify it, how to keep it out and whom to ask, without a token or a script", async () => {
    const response = await open("/about-this-crawler", { ...IDENTITY, CONTACT: "bots@crawler.test" });
    expect(response.status).toBe(200);
    const page = await response.text();
    expect(page).not.toContain("<script");
    for (const part of [
      env.USER_AGENT,
      KEY_ID,
      DIRECTORY,
      "User-agent: Orbweaver\nDisallow: /",
      "mailto:bots@crawler.test",
    ])
      expect(page).toContain(part);
    expect(page).not.toContain(JWK.d);
  });

  it("says that nothing is signed, and that nobody is named, where it is so", async () => {
    const page = await (await open("/about-this-crawler")).text();
    expect(page).toContain("does not sign its requests");
    expect(page).toContain("has not named an address");
    expect(page).not.toContain(DIRECTORY);
  });

  it("escapes a user agent", async () => {
    const page = await (await open("/about-this-crawler", { USER_AGENT: "<b>x</b>/1" as never })).text();
    expect(page).toContain("&lt;b&gt;x&lt;/b&gt;/1");
  });
});

describe("/api/health", () => {
  const health = async (changes: Partial<Env>) => {
    const response = await open("/api/health", changes, { authorization: "Bearer reading-token" });
    return ((await response.json()) as { result: Record<string, unknown> }).result;
  };

  it("names the identity without its secrets, and the cost limit", async () => {
    const result = await health({ ...IDENTITY, MAX_COST_USD: "5" });
    expect(result).toMatchObject({
      maxCostUsd: 5,
      identity: {
        address: "https://crawler.test",
        keys: [{ id: KEY_ID, since: "2026-01-01T00:00:00.000Z", signs: true }],
      },
    });
    expect(JSON.stringify(result)).not.toContain(JWK.d);
  });

  it("has null for what is not set", async () => {
    expect(await health({})).toMatchObject({ maxCostUsd: null, identity: null });
  });
});

it("the console says who signs, and what a crawl may cost", async () => {
  const changes = { ...env, ...IDENTITY, MAX_COST_USD: "5" };
  const ask = (path: string, init: RequestInit = {}) =>
    site.request(`http://localhost${path}`, { redirect: "manual", ...init }, changes, createExecutionContext());
  const body = new URLSearchParams({ token: "reading-token", to: "/crawls" });
  const ours = { "sec-fetch-site": "same-origin" };
  const signedIn = await ask("/sign-in", { method: "POST", headers: ours, body });
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  const page = await (await ask("/crawls", { headers: { ...ours, cookie } })).text();
  expect(page).toContain("Requests are signed as https://crawler.test");
  expect(page).toMatch(/without a cost limit of its own pauses at [^<]*5/);
  expect(page).toContain('href="/about-this-crawler"');
});
