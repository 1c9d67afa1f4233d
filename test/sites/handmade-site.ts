import { type Site, type SiteOptions, startSite } from "./site.ts";

/** A site written by hand, path by path. */

export interface Answer {
  status?: number;
  headers?: Record<string, string | string[]>;
  body?: string | Uint8Array;
}

/** What a path answers: a page's HTML, or an answer in full. */
export type Pages = Record<string, string | Answer>;

export const HTML = { "content-type": "text/html; charset=utf-8" };

/** A page whose links are those given. */
export function page(title: string, ...links: string[]): string {
  const list = links.map((link) => `<li><a href="${link}">${link}</a></li>`).join("");
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1><ul>${list}</ul></body></html>`;
}

export function redirect(location: string, status = 302): Answer {
  return { status, headers: { location } };
}

/** Answers 404 for any path that is not there; /robots.txt too. */
export function startHandmadeSite(pages: Pages, options: SiteOptions = {}): Promise<Site> {
  return startSite((request, response) => {
    const found = pages[request.url ?? ""];
    const { status, headers, body }: Answer =
      typeof found === "string" ? { body: found } : (found ?? { status: 404, body: "not found" });
    response.writeHead(status ?? 200, headers ?? HTML);
    response.end(body ?? "");
  }, options);
}
