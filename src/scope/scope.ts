/** Scope: decides whether a found link belongs to the crawl, and if not, why. */

import { MAX_URL_LENGTH } from "../url/canonicalize.ts";
import { hostnameOf, hostOf, pathAndQueryOf } from "../url/host-key.ts";
import type { HostSet } from "../url/private-access.ts";
import { isPublicHost } from "../url/public-address.ts";
import { type ActionLink, findAction } from "./action-links.ts";
import { nonPageExtension } from "./extensions.ts";
import type { Refusal } from "./refusal.ts";
import { compileUrlPattern } from "./url-pattern.ts";

export interface ScopeInput {
  /** `URL.host` values, with ports: those of the seeds, and those that seeds redirect to. */
  hosts: readonly string[];
  includeSubdomains: boolean;
  includeExternalLinks: boolean;
  /** Canonical seeds whose paths bound `hosts`: those of a host bound it, and all of them a host that none is on. */
  belowSeeds: readonly string[];
  includePatterns: readonly string[];
  /** These win over `includePatterns`. */
  excludePatterns: readonly string[];
  /**
   * Null where links that change something are followed as any others: without a session. Otherwise patterns of those
   * that are followed nevertheless.
   */
  allowActions: readonly string[] | null;
  /** The maximum number of links between a seed and a page. */
  depth: number;
  /** `URL.host` values that may be private, or "any". */
  privateHosts: "any" | HostSet;
  /**
   * Extensions of files that are no pages, in lower case: those of media/kind/kinds.ts, which scope/ may not import.
   */
  nonPageExtensions: ReadonlySet<string>;
}

interface UrlPattern {
  readonly pattern: string;
  readonly matches: (url: string) => boolean;
}

/** A compiled ScopeInput. Compile it once per batch and use it for each link. */
export interface Scope {
  /** The hosts in scope. The value says whether the host may be asked: it is public, or may be private. */
  readonly hosts: ReadonlyMap<string, boolean>;
  /** Hosts whose subdomains are in scope; empty unless subdomains are asked for. */
  readonly parents: ReadonlySet<string>;
  readonly external: boolean;
  /** By host, how the paths in scope there begin. A host that is missing is not bounded. */
  readonly beginnings: ReadonlyMap<string, readonly string[]>;
  readonly include: readonly UrlPattern[];
  readonly exclude: readonly UrlPattern[];
  readonly allowActions: readonly UrlPattern[] | null;
  readonly depth: number;
  readonly privateHosts: ScopeInput["privateHosts"];
  readonly nonPageExtensions: ReadonlySet<string>;
  /** The detail of `not-included`. */
  readonly includes: string;
}

export type ScopeDecision =
  | { readonly accept: true }
  | { readonly accept: false; readonly reason: Refusal; readonly detail: string };

/** One object for all, so that accepting a link allocates nothing. */
const ACCEPT: ScopeDecision = Object.freeze({ accept: true });

export function compileScope(input: ScopeInput): Scope {
  return {
    hosts: new Map(input.hosts.map((host) => [host, mayAskHost(input, host)])),
    parents: new Set(input.includeSubdomains ? input.hosts.map(siteOf) : []),
    external: input.includeExternalLinks,
    beginnings: beginningsOf(input.hosts, input.belowSeeds),
    include: input.includePatterns.map(compilePattern),
    exclude: input.excludePatterns.map(compilePattern),
    allowActions: input.allowActions?.map(compilePattern) ?? null,
    depth: input.depth,
    privateHosts: input.privateHosts,
    nonPageExtensions: input.nonPageExtensions,
    includes: input.includePatterns.join(", "),
  };
}

/**
 * The first check below that refuses the link gives the reason. `detail` names what refused it: the pattern, the host,
 * the depth or the file type.
 *
 * `url` is canonical; `depth` is the link's own, one more than its page's. Seeds are not checked: they are always in
 * scope, whatever the patterns say.
 */
export function decideScope(scope: Scope, url: string, depth: number): ScopeDecision {
  if (url.length > MAX_URL_LENGTH) return refuse("too-long", `${url.length} characters`);

  const host = hostOf(url);
  const listed = scope.hosts.get(host);
  if (!(listed ?? mayAskHost(scope, host))) return refuse("private-address", host);
  if (listed === undefined && !scope.external && !isSubdomain(scope.parents, host)) return refuse("off-host", host);

  const beginnings = scope.beginnings.get(host);
  if (beginnings !== undefined && !beginnings.some((path) => pathAndQueryOf(url).startsWith(path)))
    return refuse("not-below", beginnings.join(", "));
  for (const { pattern, matches } of scope.exclude) if (matches(url)) return refuse("excluded", pattern);
  if (scope.include.length > 0 && !isIncluded(scope.include, url)) return refuse("not-included", scope.includes);
  const action = refusedAction(scope, { url });
  if (action !== null) return refuse("action", action);

  if (depth > scope.depth) return refuse("depth", `depth ${depth}, the crawl goes to ${scope.depth}`);

  const extension = nonPageExtension(url, scope.nonPageExtensions);
  if (extension !== null) return refuse("extension", `.${extension}`);
  return ACCEPT;
}

/**
 * Decides whether an asset of a completed page is fetched: it may be on any public host, and only exclude patterns
 * leave it out.
 */
export function decideAsset(scope: Scope, url: string): ScopeDecision {
  if (url.length > MAX_URL_LENGTH) return refuse("too-long", `${url.length} characters`);
  const host = hostOf(url);
  if (!mayAskHost(scope, host)) return refuse("private-address", host);
  for (const { pattern, matches } of scope.exclude) if (matches(url)) return refuse("excluded", pattern);
  const action = refusedAction(scope, { url });
  return action === null ? ACCEPT : refuse("action", action);
}

/** Why a link is not followed with a session, for people; null if it is. */
export function refusedAction({ allowActions }: Pick<Scope, "allowActions">, link: ActionLink): string | null {
  const action = allowActions === null ? null : findAction(link);
  return action === null || isIncluded(allowActions ?? [], link.url) ? null : action;
}

/** Whether a host may be asked: it is public by its name, or may be private. `host`: a `URL.host`. */
export function mayAskHost({ privateHosts }: Pick<ScopeInput, "privateHosts">, host: string): boolean {
  return privateHosts === "any" || isPublicHost(hostnameOf(host)) || privateHosts.has(host);
}

function refuse(reason: Refusal, detail: string): ScopeDecision {
  return { accept: false, reason, detail };
}

/** A seed of `http` bounds `https` too, and redirects lead from one to the other. */
function beginningsOf(hosts: readonly string[], seeds: readonly string[]): Map<string, string[]> {
  if (seeds.length === 0) return new Map();
  const paths = seeds.map((seed) => ({ host: hostOf(seed), path: new URL(seed).pathname }));
  return new Map(
    hosts.map((host) => {
      const own = paths.filter((each) => each.host === host);
      return [host, (own.length === 0 ? paths : own).map(({ path }) => path)];
    }),
  );
}

function compilePattern(pattern: string): UrlPattern {
  return { pattern, matches: compileUrlPattern(pattern) };
}

function isIncluded(rules: readonly UrlPattern[], url: string): boolean {
  for (const { matches } of rules) if (matches(url)) return true;
  return false;
}

/**
 * It checks the host itself too: the parent of the seed `www.example.com` is `example.com`, which belongs to the site.
 */
function isSubdomain(parents: ReadonlySet<string>, host: string): boolean {
  if (parents.size === 0) return false;
  if (parents.has(host)) return true;
  for (let dot = host.indexOf("."); dot !== -1; dot = host.indexOf(".", dot + 1)) {
    if (parents.has(host.slice(dot + 1))) return true;
  }
  return false;
}

/** Second levels under which countries register names. `www.gov.uk` is a site, `gov.uk` is not. */
const REGISTRIES = new Set("ac co com edu gob gouv gov go govt mil ne net nhs nic nom or org police sch".split(" "));

/** The host whose subdomains belong to the same site: the host without `www.`, unless that leaves a registry. */
function siteOf(host: string): string {
  if (!host.startsWith("www.")) return host;
  const site = host.slice(4);
  const [name = "", country, ...deeper] = hostnameOf(site).split(".");
  if (country === undefined) return host;
  return deeper.length === 0 && country.length === 2 && REGISTRIES.has(name) ? host : site;
}
