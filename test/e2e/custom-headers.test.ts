import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verify } from "web-bot-auth";
import { verifierFromJWK } from "web-bot-auth/crypto";
import { readIdentityFile, writeIdentityFile } from "../../src/cli/installation/identity-file.ts";
import { HTML, page } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { type PublicJwk, verifySignature } from "../verify-signature.ts";
import { allowPrivateHosts } from "./allow-private.ts";
import { copyLedgerTemplate, crawl, run, scratch } from "./cli.ts";

allowPrivateHosts();

/**
 * Custom headers may contain a password, so a crawl sends them only to the origins of its seeds. Signatures are sent to
 * every host, each for itself.
 */

const SECRET = "let-me-in";
const MAILBOX = "Crawlers <crawler@example.org>";
const LANGUAGES = "de-AT, de;q=0.9, *;q=0.1";
const ADDRESS = "https://crawler.example";
const dir = scratch();
const STATE = join(dir.path, "state");
const sites: Site[] = [];
/** The headers of every request, by `NAME PATH`. */
const carried = new Map<string, (string | undefined)[]>();
const senders = new Set<string | undefined>();
/** The Accept-Language headers of every request, without those for robots.txt. */
const languages = new Set<string | undefined>();
/** What two verifiers said of each request when it came: a signature is valid for a minute. */
const nonces: unknown[] = [];
const verdicts: Promise<unknown>[] = [];
const agents = new Set<string | string[] | undefined>();
let key: PublicJwk;
let accepted: (string | undefined)[] = [];
let id = "";

type Answer = (path: string, response: ServerResponse) => void;

async function siteOf(name: string, host: string, answer: Answer): Promise<Site> {
  const site = await startSite(
    ({ url: path = "", headers }: IncomingMessage, response) => {
      if (name === "seed" && path === "/page") accepted = [headers.accept, headers["accept-encoding"] as string];
      senders.add(headers.from);
      if (path !== "/robots.txt") languages.add(headers["accept-language"]);
      const request = {
        method: "GET",
        url: `http://${headers.host}${path}`,
        headers: headers as Record<string, string>,
      };
      nonces.push(verifySignature(request, "sig1", [key], Math.floor(Date.now() / 1_000)).parameters.nonce);
      verdicts.push(verifierFromJWK(key as JsonWebKey).then((verifier) => verify(request, verifier)));
      agents.add(headers["signature-agent"]);
      carried.set(`${name} ${path}`, [headers.authorization, headers["x-key"] as string | undefined]);
      answer(path, response);
    },
    { host },
  );
  sites.push(site);
  return site;
}

beforeAll(async () => {
  const others: Answer = (path, response) => {
    if (path === "/robots.txt") response.writeHead(404).end();
    else if (path === "/map.xml")
      response.end(`<urlset><url><loc>http://${response.req.headers.host}/listed</loc></url></urlset>`);
    else response.writeHead(200, HTML).end(page(path));
  };
  const other = await siteOf("other-host", "127.0.0.42", others);
  const port = await siteOf("other-port", "127.0.0.41", others);
  const seed = await siteOf("seed", "127.0.0.41", (path, response) => {
    if (path === "/robots.txt")
      response.end(
        `User-agent: *\nDisallow:\nSitemap: ${other.origin}/map.xml\nSitemap: http://${response.req.headers.host}/own.xml\n`,
      );
    else if (path === "/own.xml") response.writeHead(302, { location: `${port.origin}/map.xml` }).end();
    else if (path === "/away") response.writeHead(302, { location: `${other.origin}/redirected` }).end();
    else if (path === "/near") response.writeHead(302, { location: `${port.origin}/redirected` }).end();
    else
      response
        .writeHead(200, HTML)
        .end(page(path, "/page", "/away", "/near", `${other.origin}/linked`, `${port.origin}/linked`));
  });
  copyLedgerTemplate(STATE);
  writeIdentityFile(STATE, ADDRESS, new Date());
  const { d: _, ...publicKey } = JSON.parse(
    Object.values(readIdentityFile(STATE)).find((value) => value.startsWith("{")) ?? "",
  );
  key = publicKey;
  const headers = [`Authorization: ${SECRET}`, `X-Key: ${SECRET}`, "ACCEPT: text/plain", "Accept-Encoding: identity"];
  const flags = headers.flatMap((header) => ["--header", header]);
  const { summary } = await crawl(
    dir.path,
    `${seed.origin}/`,
    "--external",
    "--delay",
    "0",
    "--from",
    MAILBOX,
    "--accept-language",
    LANGUAGES,
    ...flags,
  );
  id = summary.id;
});

afterAll(async () => {
  await Promise.all(sites.map((site) => site.close()));
  dir.remove();
});

test("custom headers replace our own, in any spelling", () => expect(accepted).toEqual(["text/plain", "identity"]));

test("the crawl followed every kind of link to another origin", () => {
  for (const name of ["other-host", "other-port"]) {
    for (const path of ["/robots.txt", "/map.xml", "/linked", "/redirected", "/listed"])
      expect([...carried.keys()]).toContain(`${name} ${path}`);
  }
});

test("the seed's origin gets the headers, except with robots.txt, which all crawls share", () => {
  for (const path of ["/", "/page", "/away", "/near", "/own.xml"])
    expect([path, carried.get(`seed ${path}`)]).toEqual([path, [SECRET, SECRET]]);
  expect(carried.get("seed /robots.txt")).toEqual([undefined, undefined]);
});

test("no other host or port gets the headers", () => {
  const outside = [...carried].filter(([request]) => !request.startsWith("seed"));
  expect(outside.flatMap(([, values]) => values)).not.toContain(SECRET);
});

test("every request to every host says who runs the crawl", () => expect([...senders]).toEqual([MAILBOX]));

test("every request but that for robots.txt asks for the crawl's languages", () =>
  expect([...languages]).toEqual([LANGUAGES]));

test("every request to every host is signed for it, robots.txt, sitemaps and redirects included", async () => {
  expect(nonces.length).toBeGreaterThan(15);
  // A handler whose request had no valid signature has answered 500, and the crawl has lacked its page.
  expect(nonces).toHaveLength(sites.reduce((sum, { log }) => sum + log.length, 0));
  expect(new Set(nonces).size).toBe(nonces.length);
  expect([...agents]).toEqual([`"${ADDRESS}"`]);
  await expect(Promise.all(verdicts)).resolves.toHaveLength(nonces.length);
});

test("the WARC's request records have that header, and none of the custom headers", async () => {
  const out = join(dir.path, "crawl.warc.gz");
  await run("export", id, "--format", "warc", "--out", out, "--state", STATE);
  const warc = gunzipSync(readFileSync(out)).toString();
  expect(warc).toContain(`from: ${MAILBOX}`);
  expect(warc).not.toContain(SECRET);
});
