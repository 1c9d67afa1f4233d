/** Serves a site of texts at a virtual date, which each request names. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { titleOf, wrapAsPage } from "../wrapped-page.ts";
import type { ServedLastmod, WatchRun } from "./pipeline/order.ts";
import type { TextPage, TextSite } from "./text-site.ts";

const DAY_MS = 86_400_000;

export interface ServedSite {
  origin: string;
  /** The run that the pipeline hands in. */
  run: Promise<WatchRun>;
  close(): void;
}

/** The path of a page. */
export function pathOf({ name }: Pick<TextPage, "name">): string {
  return `/p/${name.split("/").map(encodeURIComponent).join("/")}`;
}

/**
 * The share of pages with an ETag: they are like files, so their bytes change when their text does (RFC 9110, section
 * 8.8.1). The others are made for each answer: they have no validators, and no two answers are equal.
 */
export const MIXED = 0.5;

export function hasValidators(index: number, share = MIXED): boolean {
  return Math.ceil(index * share) < Math.ceil((index + 1) * share);
}

/** The version that a page has on a day: -1 before its first, null when it is gone. */
export function versionOn({ bornDay, goneDay, changeDays }: TextPage, day: number): number | null {
  if (day >= goneDay) return null;
  if (day < bornDay) return -1;
  let version = 0;
  while (version < changeDays.length && (changeDays[version] ?? 0) <= day) version += 1;
  return version;
}

/** `validators`: the share of pages that have some. */
export async function serveSite(site: TextSite, lastmod: ServedLastmod, validators = MIXED): Promise<ServedSite> {
  const byPath = new Map(site.pages.map((page, index) => [pathOf(page), { page, index }]));
  const titles = site.pages.map((page) => titleOf(page.textAt(0), page.name));
  const handed = Promise.withResolvers<WatchRun>();
  let requests = 0;

  const server = createServer(async (request, response) => {
    const time = Number(request.headers["x-virtual-time"]);
    const day = (time - site.beginMs) / DAY_MS;
    const { pathname } = new URL(request.url ?? "/", "http://site");
    requests += 1;
    if (pathname === "/run") {
      handed.resolve(JSON.parse(await readText(request)) as WatchRun);
      return response.end();
    }
    const present = site.pages.filter((page) => (versionOn(page, day) ?? -1) >= 0);
    const reply = (type: string, body: string, etag: string | null) => answer(request, response, type, body, etag);
    if (pathname === "/") {
      const list = listPages(present);
      return reply("text/html", list, tagOf(list));
    }
    if (pathname === "/sitemap.xml" && lastmod !== "none") {
      const dates = listDates(site, present, lastmod, time).replaceAll("http://SITE", `http://${request.headers.host}`);
      return reply("application/xml", dates, tagOf(dates));
    }
    const found = byPath.get(pathname);
    const version = found === undefined ? null : versionOn(found.page, day);
    if (found === undefined || version === null || version < 0)
      return response.writeHead(404).end("There is no such page.");
    const { page, index } = found;
    const isFile = hasValidators(index, validators);
    const made = isFile ? { time: changedAt(site, page, version), number: index } : { time, number: requests };
    const html = wrapAsPage(page.textAt(version), { path: page.name, ...made, titles }, false);
    reply("text/html", html, isFile ? `"${version}"` : null);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    run: handed.promise,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** `etag`: null for an answer without validators. */
function answer(
  request: IncomingMessage,
  response: ServerResponse,
  type: string,
  body: string,
  etag: string | null,
): void {
  const headers = { "content-type": `${type}; charset=utf-8`, ...(etag === null ? {} : { etag }) };
  if (etag !== null && request.headers["if-none-match"] === etag) response.writeHead(304, headers).end();
  else response.writeHead(200, headers).end(body);
}

function tagOf(body: string): string {
  return `"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"`;
}

function listPages(pages: readonly TextPage[]): string {
  const links = pages.map((page) => `<li><a href="${pathOf(page)}">${pathOf(page)}</a></li>`);
  return `<!doctype html><html lang="en"><title>All pages</title><main><h1>All pages</h1><ul>${links.join("\n")}</ul></main></html>`;
}

/** When a page got this version, in milliseconds since the epoch. */
function changedAt(site: TextSite, page: TextPage, version: number): number {
  return site.beginMs + (version > 0 ? (page.changeDays[version - 1] ?? 0) : page.bornDay) * DAY_MS;
}

/** `time`: milliseconds since the epoch. */
function listDates(site: TextSite, pages: readonly TextPage[], lastmod: ServedLastmod, time: number): string {
  const entries = pages.map((page) => {
    const version = versionOn(page, (time - site.beginMs) / DAY_MS) ?? 0;
    const date = new Date(lastmod === "honest" ? changedAt(site, page, version) : time).toISOString();
    return `<url><loc>http://SITE${pathOf(page)}</loc><lastmod>${date}</lastmod></url>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join("\n")}</urlset>`;
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
