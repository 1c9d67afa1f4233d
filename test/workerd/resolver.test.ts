import { createExecutionContext, env } from "cloudflare:test";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NO_SECRETS } from "../../src/fetch/answer/answer.ts";
import { PageFetcher } from "../../src/fetch/page-fetcher.ts";
import { resolveHost } from "../../src/fetch/transport/host-addresses.ts";
import { fetchRobots } from "../../src/host/robots-file.ts";
import { PAGE_REQUEST, REQUEST } from "./page-request.ts";

/** With a resolver, a name that resolves to a private address is refused like the address itself. */

const RESOLVER = "https://resolver.test/dns-query";
// BOOT: on one's own machine, where addresses can be fetched.
const CAREFUL = { ...env, ALLOW_PRIVATE: "", BOOT: "b", RESOLVER };

/** Addresses by name. The resolver does not answer for other names. */
const NAMES: Record<string, string[]> = {
  "public.example": ["93.184.215.14", "2606:2800:21f:cb07::1"],
  "private.example": ["10.0.0.1"],
  "half.example": ["93.184.215.14", "127.0.0.1"],
  "six.example": ["93.184.215.14", "fd00::1"],
  "mapped.example": ["::ffff:169.254.169.254"],
  "none.example": [],
};
let fetched: string[];
let lookups: number;

beforeEach(() => {
  fetched = [];
  lookups = 0;
  vi.stubGlobal("fetch", async (address: string) => {
    const url = new URL(address);
    if (url.origin !== new URL(RESOLVER).origin) {
      fetched.push(address);
      return new Response("<p>in", { headers: { "content-type": "text/html" } });
    }
    lookups += 1;
    const found = NAMES[url.searchParams.get("name") ?? ""];
    const isIpv6 = url.searchParams.get("type") === "AAAA";
    const Answer = (found ?? [])
      .filter((data) => data.includes(":") === isIpv6)
      .map((data) => ({ type: isIpv6 ? 28 : 1, TTL: 60, data }));
    return Response.json(found === undefined ? { Status: 2 } : { Status: 0, Answer });
  });
});

afterEach(() => vi.unstubAllGlobals());

const fetchPage = (url: string, changes: Partial<Env> = {}) =>
  new PageFetcher(createExecutionContext(), { ...CAREFUL, ...changes }).fetchPage({ ...PAGE_REQUEST, url }, NO_SECRETS);

test.each([
  ["private.example", "private-address", "private.example resolves to 10.0.0.1", false],
  ["half.example", "private-address", "half.example resolves to 127.0.0.1", false],
  ["six.example", "private-address", "six.example resolves to [fd00::1]", false],
  ["mapped.example", "private-address", "mapped.example resolves to [::ffff:169.254.169.254]", false],
  ["none.example", "dns", "no such host as none.example", true],
  ["silent.example", "dns", "the resolver does not say what silent.example is: its code is 2", true],
])("%s is refused", async (name, reason, detail, retryable) => {
  expect(await fetchPage(`http://${name}:8080/x`)).toMatchObject({ kind: "rejected", reason, detail, retryable });
  expect(fetched).toEqual([]);
});

test("a public name is fetched, and an address is not resolved", async () => {
  await fetchPage("http://public.example/");
  expect(lookups).toBe(2);
  await fetchPage("http://93.184.215.14/");
  await fetchPage("http://[2606:2800:21f:cb07::1]/");
  expect(lookups).toBe(2);
  expect(fetched).toHaveLength(3);
});

test.each([
  ["no resolver", { RESOLVER: "" }],
  ["private addresses allowed", { ALLOW_PRIVATE: "true" }],
])("no name is resolved with %s", async (_, changes) => {
  await fetchPage("http://private.example/", changes);
  expect([lookups, fetched]).toEqual([0, ["http://private.example/"]]);
});

test.each([
  ["private.example", "private-address", true],
  ["none.example", "dns", true],
  // A broken resolver says nothing about the host, so the host is not given up.
  ["silent.example", "dns", false],
])("robots.txt of %s is not requested", async (name, reason, final) => {
  const request = {
    ...REQUEST,
    privateHosts: [],
    answeredBefore: false,
    holdHost: async () => ({ release: async () => undefined }),
  };
  const { file } = await fetchRobots(`http://${name}`, request, undefined, CAREFUL);
  expect(file).toMatchObject({ state: "unreachable", reason, final });
  expect(fetched).toEqual([]);
});

test("the addresses of a host are those of the operator's resolver, or else of the machine", async () => {
  const machine = { kind: "found", addresses: ["10.1.1.1"] };
  const DIAGNOSIS = { fetch: async () => Response.json(machine) } as unknown as Fetcher;
  const addresses = ["93.184.215.14", "[2606:2800:21f:cb07::1]"];
  expect(await resolveHost("public.example", { RESOLVER, DIAGNOSIS })).toEqual({ kind: "found", addresses });
  expect(await resolveHost("public.example", { DIAGNOSIS })).toEqual(machine);
  expect(await resolveHost("none.example", { RESOLVER })).toEqual({ kind: "none" });
  const broken = { fetch: async () => new Response("", { status: 500 }) } as unknown as Fetcher;
  expect(await resolveHost("public.example", { DIAGNOSIS: broken })).toMatchObject({ kind: "unanswered" });
});
