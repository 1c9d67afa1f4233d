import { UserError } from "../../errors.ts";

/**
 * Which proxy a request takes, by the variables that curl and others read
 * (https://everything.curl.dev/usingcurl/proxies/env.html): HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, in either
 * case, the lower one first.
 */
export class ProxySettings {
  readonly #byProtocol: ReadonlyMap<string, URL>;
  readonly #exempt: readonly Exempt[];

  /** Throws UserError for a proxy that cannot be used. */
  constructor(env: NodeJS.Dict<string>) {
    this.#byProtocol = new Map(
      (["http", "https"] as const).flatMap((protocol): [string, URL][] => {
        const proxy = proxyNamedIn(env, `${protocol}_proxy`) ?? proxyNamedIn(env, "all_proxy");
        return proxy === null ? [] : [[`${protocol}:`, proxy]];
      }),
    );
    this.#exempt = (variableOf(env, "no_proxy") ?? "")
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(toExempt);
  }

  get isEmpty(): boolean {
    return this.#byProtocol.size === 0;
  }

  /** Null for a request that goes straight to its host. What is on this machine is never asked of a proxy. */
  proxyFor({ protocol, hostname, port }: Pick<URL, "protocol" | "hostname" | "port">): URL | null {
    const name = hostname.replace(/^\[|\]$/g, "").toLowerCase();
    if (/^(?:localhost|.*\.localhost|127(?:\.\d+){3}|::1)$/.test(name)) return null;
    const at = port === "" ? (protocol === "https:" ? "443" : "80") : port;
    if (this.#exempt.some((exempt) => isExempt(exempt, name, at))) return null;
    return this.#byProtocol.get(protocol) ?? null;
  }
}

/** A name with all its subdomains, or an address, or all; with a port it is for that alone. */
interface Exempt {
  name: string;
  port: string | null;
}

function toExempt(written: string): Exempt {
  const [, bracketed, port] = /^\[(.+)\](?::(\d+))?$/.exec(written) ?? [];
  if (bracketed !== undefined) return { name: bracketed.toLowerCase(), port: port ?? null };
  const [, host = written, ownPort = null] = /^([^:]+):(\d+)$/.exec(written) ?? [];
  return { name: host.toLowerCase().replace(/^\*?\./, ""), port: ownPort };
}

function isExempt({ name, port }: Exempt, host: string, at: string): boolean {
  if (port !== null && port !== at) return false;
  return name === "*" || host === name || host.endsWith(`.${name}`) || isInBlock(host, name);
}

/** Whether an IPv4 address is in a block such as 10.0.0.0/8. */
function isInBlock(host: string, block: string): boolean {
  const [, base = "", length = ""] = /^(\d+(?:\.\d+){3})\/(\d{1,2})$/.exec(block) ?? [];
  const [address, start] = [host, base].map(bitsOf);
  if (address == null || start == null) return false;
  const size = 2 ** (32 - Math.min(32, Number(length)));
  return Math.floor(address / size) === Math.floor(start / size);
}

function bitsOf(address: string): number | null {
  if (!/^\d+(?:\.\d+){3}$/.test(address)) return null;
  return address.split(".").reduce((bits, part) => bits * 256 + Number(part), 0);
}

function variableOf(env: NodeJS.Dict<string>, name: string): string | undefined {
  return env[name] || env[name.toUpperCase()] || undefined;
}

function proxyNamedIn(env: NodeJS.Dict<string>, name: string): URL | null {
  const value = variableOf(env, name);
  if (value === undefined) return null;
  const url = URL.parse(value.includes("://") ? value : `http://${value}`);
  if (url !== null && (url.protocol === "http:" || url.protocol === "https:")) return url;
  // It may hold a password.
  const kind = url === null ? "no URL" : url.protocol.replace(":", "");
  throw new UserError(
    `${name.toUpperCase()} names a proxy that cannot be used (${kind}): give http://HOST:PORT, or remove the variable.`,
    2,
  );
}
