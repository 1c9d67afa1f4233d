import { generateKeyPairSync } from "node:crypto";
import { request } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NodeNetwork } from "../../../../src/cli/machine/network/node-network.ts";
import { ProxySettings } from "../../../../src/cli/machine/network/proxy-settings.ts";
import { selfSigned } from "../../../e2e/self-signed.ts";

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const certificate = selfSigned(privateKey, publicKey);
const sites = [0, 1].map(() => createServer(certificate, (_, answer) => answer.end("here")));
let network: NodeNetwork;
let named: string;
let other: string;

beforeAll(async () => {
  for (const site of sites) await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const hosts = sites.map((site) => `127.0.0.1:${(site.address() as AddressInfo).port}`);
  [named = "", other = ""] = hosts.map((host) => `https://${host}/`);
  network = new NodeNetwork(new ProxySettings({}), [hosts[0] ?? ""]);
  await network.listen();
});
afterAll(() => {
  network.close();
  for (const site of sites) {
    site.closeAllConnections();
    site.close();
  }
});

interface Service {
  external: { address: string; http: { injectRequestHeaders: { name: string; value: string }[] } };
}

/** Asks as workerd does. The status, or null if the connection was dropped. */
async function ask(url: string, reach: "public" | "any", headers: Record<string, string> = {}): Promise<number | null> {
  const { address, http } = (network.service(reach) as Service).external;
  const [host, port] = address.split(":");
  const [key] = http.injectRequestHeaders;
  const sent = { ...(key === undefined ? {} : { [key.name]: key.value }), ...headers };
  return new Promise((resolve) => {
    request({ host, port, path: url, headers: sent }, (answer) => {
      answer.resume().once("end", () => resolve(answer.statusCode ?? null));
    })
      .once("error", () => resolve(null))
      .end();
  });
}

test("a host that is named is asked, and no other whose certificate nobody has signed", async () => {
  expect(await ask(named, "any")).toBe(200);
  expect(await ask(other, "any")).toBeNull();
  expect(network.failureOf(other)).toMatchObject({
    reason: "tls",
    detail: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
  });
  expect(network.failureOf(other)).toBeNull();
});

test.each(["authorization", "cookie"])("no %s goes to a host whose certificate is not checked", async (name) => {
  expect(await ask(named, "any", { [name]: "x" })).toBeNull();
  expect(network.failureOf(named)).toMatchObject({ reason: "tls", detail: expect.stringContaining("--insecure") });
});

test("a private address, and a name that resolves to one, is not asked for whom only public ones are open", async () => {
  expect(await ask(named, "public")).toBeNull();
  expect(network.failureOf(named)?.reason).toBe("private-address");
  const name = "https://localhost.localdomain.test.invalid/";
  expect(await ask(name, "public")).toBeNull();
  expect(network.failureOf(name)?.reason).toMatch(/dns|private-address/);
});

test("whoever has no key gets nothing", async () => {
  expect(await ask(named, "any", { "x-network-key": "guess" })).toBe(403);
});

const PROXY = { HTTPS_PROXY: "http://proxy.test:3128", http_proxy: "other.test:80" };
test.each([
  ["https://a.test/", "", "http://proxy.test:3128/"],
  ["http://a.test/", "", "http://other.test/"],
  ["http://127.0.0.1:8080/", "", null],
  ["https://localhost/", "", null],
  ["https://www.a.test/", "a.test", null],
  ["https://www.a.test/", ".a.test,b.test", null],
  ["https://nota.test/", "a.test", "http://proxy.test:3128/"],
  ["https://10.1.2.3/", "10.0.0.0/8", null],
  ["https://11.1.2.3/", "10.0.0.0/8", "http://proxy.test:3128/"],
  ["https://a.test:8443/", "a.test:443", "http://proxy.test:3128/"],
  ["https://a.test/", "a.test:443", null],
  ["https://a.test/", "*", null],
])("%s with NO_PROXY=%s takes %s", (url, exempt, proxy) => {
  const settings = new ProxySettings({ ...PROXY, NO_PROXY: exempt });
  expect(settings.proxyFor(new URL(url))?.href ?? null).toBe(proxy);
});

test("a proxy that cannot be used is refused, without its password", () => {
  expect(() => new ProxySettings({ ALL_PROXY: "socks5://me:secret@proxy.test" })).toThrow(/^(?!.*secret).*socks5/);
  expect(new ProxySettings({ HTTPS_PROXY: "" }).isEmpty).toBe(true);
});
