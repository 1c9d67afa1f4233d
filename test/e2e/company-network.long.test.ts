import { generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { type Ended, scratch, startWith } from "./cli.ts";
import { selfSigned } from "./self-signed.ts";

/** A laptop in a company: a proxy between it and the web, and servers with certificates of their own. */

const dir = scratch();
const servers: Server[] = [];
afterAll(async () => {
  for (const server of servers) server.closeAllConnections();
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  dir.remove();
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

function site(seen: IncomingMessage[]) {
  return (asked: IncomingMessage, answer: import("node:http").ServerResponse) => {
    seen.push(asked);
    if (asked.url === "/robots.txt") return answer.writeHead(404).end();
    const page = `<title>${asked.url}</title><a href="/two">two</a><p>Otters swim in the river behind the mill.</p>`;
    answer.setHeader("content-type", "text/html");
    answer.setHeader("content-encoding", "gzip");
    return answer.end(gzipSync(page));
  };
}

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const certificate = selfSigned(privateKey, publicKey, "shop.example");

/** Sends all names to loopback, at the port of `to`. `log`: what it was asked for. */
async function startProxy(to: { http: number; https: number }, log: string[], password?: string): Promise<number> {
  const isAllowed = ({ headers }: IncomingMessage) =>
    password === undefined ||
    headers["proxy-authorization"] === `Basic ${Buffer.from(`me:${password}`).toString("base64")}`;
  const proxy = createServer((asked, answer) => {
    log.push(`${asked.method} ${asked.url}`);
    if (!isAllowed(asked)) return void answer.writeHead(407).end();
    const { pathname, host } = new URL(asked.url ?? "");
    request({ port: to.http, host: "127.0.0.1", path: pathname, headers: { host } }, (got) => {
      answer.writeHead(got.statusCode ?? 0, got.rawHeaders);
      got.pipe(answer);
    }).end();
  });
  proxy.on("connect", (asked: IncomingMessage, socket) => {
    log.push(`CONNECT ${asked.url}`);
    if (!isAllowed(asked)) return void socket.end("HTTP/1.1 407 No\r\n\r\n");
    const target = connect(to.https, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      target.pipe(socket).pipe(target);
    });
    for (const end of [socket, target]) end.on("error", () => socket.destroy());
  });
  return listen(proxy);
}

let states = 0;
async function crawl(variables: Record<string, string>, ...args: string[]): Promise<Ended & { summary: object }> {
  states += 1;
  const flags = ["--delay", "0", "--json", "--state", join(dir.path, `state-${states}`)];
  const ended = await startWith({ NO_PROXY: "", ...variables }, ["crawl", ...flags, ...args]).ended;
  return { ...ended, summary: JSON.parse(ended.stdout || "{}") };
}

test("HTTPS_PROXY and HTTP_PROXY carry a crawl, robots.txt first, with a log-in, and NO_PROXY leaves hosts out", async () => {
  const seen: IncomingMessage[] = [];
  const https = await listen(createTlsServer(certificate, site(seen)) as unknown as Server);
  const http = await listen(createServer(site(seen)));
  const log: string[] = [];
  const port = await startProxy({ http, https }, log, "p@ss");
  const proxy = `http://me:p%40ss@127.0.0.1:${port}`;
  const secure = await crawl({ HTTPS_PROXY: proxy }, "https://shop.example/", "--insecure", "shop.example");
  expect([secure.summary, secure.stderr]).toEqual([
    expect.objectContaining({ completed: 2, errored: 0 }),
    expect.any(String),
  ]);
  expect(new Set(log)).toEqual(new Set(["CONNECT shop.example:443"]));
  expect(seen[0]?.url).toBe("/robots.txt");
  log.length = 0;
  const plain = await crawl({ http_proxy: proxy }, "http://shop.example/", "http://10.1.2.3/", "--depth", "0");
  expect(plain.summary).toMatchObject({ completed: 2 });
  expect(log[0]).toBe("GET http://shop.example/robots.txt");
  log.length = 0;
  const direct = await crawl({ HTTP_PROXY: proxy, NO_PROXY: "example.org,.example" }, "http://shop.example/");
  expect(direct.summary).toMatchObject({ completed: 0 });
  expect(log).toEqual([]);
  const unknown = await crawl({ HTTP_PROXY: `http://127.0.0.1:${port}` }, "http://shop.example/");
  expect(unknown.stderr + unknown.stdout).toMatch(/robots-unreachable|errored/);
  expect(unknown.summary).toMatchObject({ completed: 0, errored: 1 });
});

test("--insecure reads a host whose certificate nobody has signed, and never with a log-in", async () => {
  const port = await listen(createTlsServer(certificate, site([])) as unknown as Server);
  const args = [`https://127.0.0.1:${port}/`, "--insecure", `127.0.0.1:${port}`];
  expect((await crawl({}, ...args)).summary).toMatchObject({ completed: 2, errored: 0 });
  const secret = await crawl({}, ...args, "--header", "Authorization: Bearer x");
  expect([secret.code, secret.stderr]).toEqual([2, expect.stringContaining("--insecure never goes with")]);
});
