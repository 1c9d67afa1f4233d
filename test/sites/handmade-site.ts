import { type Site, type SiteOptions, startSite } from "./site.ts";

/** A site from a table of paths and answers. */

export interface Answer {
  status?: number;
  headers?: Record<string, string | string[]>;
  body?: string | Uint8Array;
}

/** Answers by path: HTML, or a full answer. */
export type Pages = Record<string, string | Answer>;

export const HTML = { "content-type": "text/html; charset=utf-8" };

/** A page with these links. */
export function page(title: string, ...links: string[]): string {
  const list = links.map((link) => `<li><a href="${link}">${link}</a></li>`).join("");
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1><ul>${list}</ul></body></html>`;
}

export function redirect(location: string, status = 302): Answer {
  return { status, headers: { location } };
}

/** Answers 404 for other paths, /robots.txt included. */
export function startHandmadeSite(pages: Pages, options: SiteOptions = {}): Promise<Site> {
  return startSite((request, response) => {
    const found = pages[request.url ?? ""];
    const { status, headers, body }: Answer =
      typeof found === "string" ? { body: found } : (found ?? { status: 404, body: "not found" });
    response.writeHead(status ?? 200, headers ?? HTML);
    response.end(body ?? "");
  }, options);
}
