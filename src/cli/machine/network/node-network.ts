import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { lookup } from "node:dns";
import { createServer, Agent as HttpAgent, type IncomingMessage, request, type ServerResponse } from "node:http";
import { request as requestTls, Agent as TlsAgent } from "node:https";
import type { AddressInfo, LookupFunction } from "node:net";
import { isPublicHost } from "../../../url/public-address.ts";
import { type Diagnosis, explain } from "../../installation/diagnosis.ts";
import { askProxy, describeRefusal, logIn, ProxyAgent, ProxyFailure } from "./proxy-agent.ts";
import type { ProxySettings } from "./proxy-settings.ts";

/**
 * A network for workerd that Node connects: workerd knows neither a proxy nor a host whose certificate is not checked.
 * It listens on loopback, speaks the protocol of a forward proxy to workerd, and passes bytes on as they come.
 */

/** Which addresses a request may reach. */
type Reach = "public" | "any";

/** Failures that the Worker has not asked about yet. */
const MAX_FAILURES = 1_000;
const HOP_BY_HOP: ReadonlySet<string> = new Set(
  "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  ),
);
const KEY = "x-network-key";
/** Headers that must not go to a host that may be anybody. */
const SECRETS: readonly string[] = ["authorization", "cookie"];

class Refused extends Error {
  readonly reason: Diagnosis["reason"];

  constructor(reason: Diagnosis["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

export class NodeNetwork {
  readonly #proxies: ProxySettings;
  readonly #insecure: ReadonlySet<string>;
  readonly #keys = { public: newKey(), any: newKey() };
  readonly #failures = new Map<string, Diagnosis>();
  readonly #agents = new Map<string, TlsAgent>();
  readonly #plain = { public: new HttpAgent({ keepAlive: true }), any: new HttpAgent({ keepAlive: true }) };
  readonly #server = createServer({ requireHostHeader: false }, (asked, answer) => this.#serve(asked, answer));

  /** `insecure`: `URL.host` values and host names, whose certificates are not checked. */
  constructor(proxies: ProxySettings, insecure: readonly string[]) {
    this.#proxies = proxies;
    this.#insecure = new Set(insecure.map((host) => host.toLowerCase()));
  }

  async listen(): Promise<void> {
    // workerd ends a connection that it needs no more.
    this.#server.keepAliveTimeout = 0;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    this.#server.unref();
  }

  /** The service for miniflare. A key in each request tells workerd from other programs of the machine. */
  service(reach: Reach): object {
    const { port } = this.#server.address() as AddressInfo;
    const injectRequestHeaders = [{ name: KEY, value: this.#keys[reach] }];
    // 1: the request line has the whole URL.
    return { external: { address: `127.0.0.1:${port}`, http: { style: 1, injectRequestHeaders } } };
  }

  /** Why the last request for this URL got no answer; null if it got one. */
  failureOf(url: string): Diagnosis | null {
    const failure = this.#failures.get(url) ?? null;
    this.#failures.delete(url);
    return failure;
  }

  /** Whether the proxy resolves the name, so that this machine need not know it. */
  isResolvedByProxy(hostname: string): boolean {
    return ["http:", "https:"].some((protocol) => this.#proxies.proxyFor({ protocol, hostname, port: "" }) !== null);
  }

  #reachOf(asked: IncomingMessage): Reach | null {
    const given = String(asked.headers[KEY] ?? "");
    return (["public", "any"] as const).find((reach) => isEqual(given, this.#keys[reach])) ?? null;
  }

  #serve(asked: IncomingMessage, answer: ServerResponse): void {
    const reach = this.#reachOf(asked);
    const url = URL.parse(asked.url ?? "");
    if (reach === null || url === null || !/^https?:$/.test(url.protocol)) {
      answer.writeHead(403).end();
      return;
    }
    this.#failures.delete(url.href);
    this.#send(url, asked, answer, reach, false);
  }

  #send(url: URL, asked: IncomingMessage, answer: ServerResponse, reach: Reach, isAgain: boolean): void {
    const fail = (error: Error) => {
      this.#note(url, error);
      answer.destroy();
    };
    const proxy = this.#proxies.proxyFor(url);
    let sent: ReturnType<typeof request>;
    try {
      sent = this.#open(url, asked, reach, proxy);
    } catch (error) {
      fail(error as Error);
      return;
    }
    const abort = () => sent.destroy();
    answer.once("close", abort);
    sent.once("error", (error: NodeJS.ErrnoException) => {
      answer.off("close", abort);
      if (answer.destroyed) return;
      // The server may close a connection at the moment at which it is used again.
      const isStale = sent.reusedSocket && error.code === "ECONNRESET" && !answer.headersSent && !isAgain;
      if (isStale && (asked.method === "GET" || asked.method === "HEAD")) this.#send(url, asked, answer, reach, true);
      else fail(error);
    });
    sent.once("response", (got) => {
      if (got.statusCode === 407 && proxy !== null) {
        sent.destroy();
        fail(new ProxyFailure(describeRefusal(407, url.host)));
        return;
      }
      try {
        answer.writeHead(got.statusCode ?? 502, got.statusMessage, passedOn(got.rawHeaders, false));
      } catch {
        // A status or a header that no HTTP may have.
        sent.destroy();
        fail(new Refused("parse", `${url.host} sends a status or headers that cannot be read`));
        return;
      }
      got.pipe(answer);
      // What breaks off must not look complete.
      got.once("error", () => answer.destroy());
      got.once("aborted", () => answer.destroy());
    });
    if (isAgain || asked.method === "GET" || asked.method === "HEAD") sent.end();
    else asked.pipe(sent);
  }

  #open(url: URL, asked: IncomingMessage, reach: Reach, proxy: URL | null): ReturnType<typeof request> {
    const hostname = url.hostname.replace(/^\[|\]$/g, "");
    if (reach === "public" && !isPublicHost(url.hostname)) throw new Refused("private-address", hostname);
    const headers = ["host", url.host, ...passedOn(asked.rawHeaders, true)];
    const method = asked.method ?? "GET";
    const isSecure = url.protocol === "https:";
    const isUnchecked = isSecure && (this.#insecure.has(url.host) || this.#insecure.has(hostname));
    const secret = isUnchecked ? SECRETS.find((name) => asked.headers[name] !== undefined) : undefined;
    if (secret !== undefined)
      throw new Refused("tls", `no ${secret} is sent to ${url.host}, whose certificate is not checked (--insecure)`);
    if (proxy !== null && !isSecure)
      return askProxy(proxy, { method, path: url.href, headers: [...headers, ...Object.entries(logIn(proxy)).flat()] });
    const port = Number(url.port) || (isSecure ? 443 : 80);
    const path = `${url.pathname}${url.search}`;
    const options = { method, host: hostname, port, path, headers, insecureHTTPParser: true, lookup: lookupFor(reach) };
    if (!isSecure) return request({ ...options, agent: this.#plain[reach] });
    const servername = /^[\d.]+$|:/.test(hostname) ? "" : hostname;
    return requestTls({
      ...options,
      servername,
      rejectUnauthorized: !isUnchecked,
      agent: this.#agentFor(proxy, isUnchecked, reach),
    });
  }

  /** A connection is used again only by requests that may open it themselves. */
  #agentFor(proxy: URL | null, isUnchecked: boolean, reach: Reach): TlsAgent {
    const name = `${reach} ${proxy?.href ?? ""} ${isUnchecked}`;
    const known = this.#agents.get(name);
    if (known !== undefined) return known;
    const options = { keepAlive: true, maxCachedSessions: 0 };
    const agent = proxy === null ? new TlsAgent(options) : new ProxyAgent(proxy, options);
    this.#agents.set(name, agent);
    return agent;
  }

  #note({ href, hostname, port, protocol }: URL, error: Error): void {
    const at = Number(port) || (protocol === "https:" ? 443 : 80);
    this.#failures.set(href, explainFailure(error, hostname, at));
    for (const oldest of this.#failures.keys()) {
      if (this.#failures.size <= MAX_FAILURES) break;
      this.#failures.delete(oldest);
    }
  }

  close(): void {
    for (const agent of [...this.#agents.values(), ...Object.values(this.#plain)]) agent.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function explainFailure(error: NodeJS.ErrnoException, host: string, port: number): Diagnosis {
  if (error instanceof Refused) return { reason: error.reason, detail: error.message };
  if (error instanceof ProxyFailure) return { reason: "connection", detail: error.message };
  if (error.code === "ENOTFOUND" || error.code === "EAI_AGAIN")
    return { reason: "dns", detail: `there is no host ${host}; check the spelling` };
  if (error.code?.startsWith("HPE_")) return { reason: "parse", detail: `${host}:${port} sends no HTTP` };
  if (error.code === "EPIPE") return { reason: "connection", detail: `${host}:${port} dropped the connection` };
  if (error.code === "ETIMEDOUT") return { reason: "timeout", detail: `${host}:${port} does not answer` };
  return explain(error, host, port);
}

/** Looks at each address at the moment at which it is connected to. */
function lookupFor(reach: Reach): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, "", 0);
      const allowed =
        reach === "any"
          ? found
          : found.filter(({ address, family }) => isPublicHost(family === 6 ? `[${address}]` : address));
      const [first] = allowed;
      if (first === undefined)
        return callback(new Refused("private-address", `${hostname} resolves to a private address`), "", 0);
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
}

/** Headers without those of one connection, in their order. `isRequest`: without the target and our own key. */
function passedOn(raw: readonly string[], isRequest: boolean): string[] {
  const named = new Set<string>();
  for (let i = 0; i < raw.length; i += 2)
    if (raw[i]?.toLowerCase() === "connection")
      for (const name of (raw[i + 1] ?? "").split(",")) named.add(name.trim().toLowerCase());
  return raw.flatMap((name, i) => {
    if (i % 2 === 1) return [];
    const key = name.toLowerCase();
    if (HOP_BY_HOP.has(key) || named.has(key) || (isRequest && (key === KEY || key === "host"))) return [];
    return [name, raw[i + 1] ?? ""];
  });
}

function newKey(): string {
  return randomBytes(24).toString("base64url");
}

function isEqual(given: string, key: string): boolean {
  const [one, other] = [given, key].map((text) => createHash("sha256").update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
