/** Scope: whether a link that was found belongs to the crawl, and if not, why. */

import { MAX_URL_LENGTH } from "../url/canonicalize.ts";
import { hostnameOf, hostOf } from "../url/host-key.ts";
import { isPublicHost } from "../url/public-address.ts";
import { nonPageExtension } from "./extensions.ts";
import type { Refusal } from "./refusal.ts";
import { compileGlob } from "./url-glob.ts";

export interface ScopeInput {
  /** `URL.host` values, with their ports: the seeds' and those of hosts that joined because a seed redirects there. */
  hosts: readonly string[];
  includeSubdomains: boolean;
  includeExternalLinks: boolean;
  includePatterns: readonly string[];
  /** These win over `includePatterns`. */
  excludePatterns: readonly string[];
  /** Most links to follow from a seed. */
  depth: number;
  /** The operator allows private addresses: a crawl of one's own machine. */
  allowPrivate: boolean;
}

interface Rule {
  readonly pattern: string;
  readonly matches: (url: string) => boolean;
}

/** What `compileScope` makes of the order: compile once per batch, decide for each link. */
export interface Scope {
  /** The hosts in scope, each with whether its address is public. */
  readonly hosts: ReadonlyMap<string, boolean>;
  /** Hosts whose subdomains are in scope; empty unless subdomains are asked for. */
  readonly parents: ReadonlySet<string>;
  readonly external: boolean;
  readonly include: readonly Rule[];
  readonly exclude: readonly Rule[];
  readonly depth: number;
  readonly allowPrivate: boolean;
  /** The detail of `not-included`. */
  readonly includes: string;
}

export type ScopeDecision =
  | { readonly accept: true }
  | { readonly accept: false; readonly reason: Refusal; readonly detail: string };

/** Shared, so that accepting a link allocates nothing. */
const ACCEPT: ScopeDecision = Object.freeze({ accept: true });

export function compileScope(input: ScopeInput): Scope {
  return {
    hosts: new Map(input.hosts.map((host) => [host, isPublicHost(hostnameOf(host))])),
    parents: new Set(input.includeSubdomains ? input.hosts.map(siteOf) : []),
    external: input.includeExternalLinks,
    include: input.includePatterns.map(compileRule),
    exclude: input.excludePatterns.map(compileRule),
    depth: input.depth,
    allowPrivate: input.allowPrivate,
    includes: input.includePatterns.join(", "),
  };
}

/**
 * The first rule that refuses the link answers, in the order of the checks below; `detail` names the rule: the pattern, the host, the
 * depth, the file type.
 *
 * `url` is canonical; `depth` is the link's own, one more than its page's. Seeds do not come here: they are always in, whatever the
 * patterns say, since somebody asked for them by name.
 */
export function decideScope(scope: Scope, url: string, depth: number): ScopeDecision {
  if (url.length > MAX_URL_LENGTH) return refuse("too-long", `${url.length} characters`);

  const host = hostOf(url);
  const listed = scope.hosts.get(host);
  if (!scope.allowPrivate && !(listed ?? isPublicHost(hostnameOf(host)))) return refuse("private-address", host);
  if (listed === undefined && !scope.external && !isSubdomain(scope.parents, host)) return refuse("off-host", host);

  for (const { pattern, matches } of scope.exclude) if (matches(url)) return refuse("excluded", pattern);
  if (scope.include.length > 0 && !isIncluded(scope.include, url)) return refuse("not-included", scope.includes);

  if (depth > scope.depth) return refuse("depth", `depth ${depth}, the crawl goes to ${scope.depth}`);

  const extension = nonPageExtension(url);
  if (extension !== null) return refuse("extension", `.${extension}`);
  return ACCEPT;
}

/** Whether an asset of a page that is kept is to be kept too: it may be on any host that is public, and is left out by name alone. */
export function decideAsset(scope: Scope, url: string): ScopeDecision {
  if (url.length > MAX_URL_LENGTH) return refuse("too-long", `${url.length} characters`);
  const host = hostnameOf(hostOf(url));
  if (!scope.allowPrivate && !isPublicHost(host)) return refuse("private-address", host);
  for (const { pattern, matches } of scope.exclude) if (matches(url)) return refuse("excluded", pattern);
  return ACCEPT;
}

function refuse(reason: Refusal, detail: string): ScopeDecision {
  return { accept: false, reason, detail };
}

function compileRule(pattern: string): Rule {
  return { pattern, matches: compileGlob(pattern) };
}

function isIncluded(rules: readonly Rule[], url: string): boolean {
  for (const { matches } of rules) if (matches(url)) return true;
  return false;
}

/** The host itself is asked for too: of the seed `www.example.com` the parent is `example.com`, which belongs to the site. */
function isSubdomain(parents: ReadonlySet<string>, host: string): boolean {
  if (parents.size === 0) return false;
  if (parents.has(host)) return true;
  for (let dot = host.indexOf("."); dot !== -1; dot = host.indexOf(".", dot + 1)) {
    if (parents.has(host.slice(dot + 1))) return true;
  }
  return false;
}

/** Second levels under which countries register names: `www.gov.uk` is a site, and `gov.uk` is not. */
const REGISTRIES = new Set("ac co com edu gob gouv gov go govt mil ne net nhs nic nom or org police sch".split(" "));

/** The host whose subdomains belong to the same site: the host without its `www.`, unless a whole registry would be left. */
function siteOf(host: string): string {
  if (!host.startsWith("www.")) return host;
  const site = host.slice(4);
  const [name = "", country, ...deeper] = hostnameOf(site).split(".");
  if (country === undefined) return host;
  return deeper.length === 0 && country.length === 2 && REGISTRIES.has(name) ? host : site;
}
