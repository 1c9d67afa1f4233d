/** A directory of real HTML as a web site, as a plain web server would show it. */
import { readFile, stat } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { type Site, type SiteOptions, startSite } from "./site.ts";

export interface StaticSiteOptions extends SiteOptions {
  /** Text of /robots.txt; without it the file of that name in the directory, or 404. */
  robots?: string;
}

/** HTML without a charset, as Apache sends it: what the page says of itself counts. */
const CONTENT_TYPES: Record<string, string> = {
  ".html": "text/html",
  ".htm": "text/html",
  ".xhtml": "application/xhtml+xml",
  ".txt": "text/plain; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
  ".xml": "application/xml",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".gif": "image/gif",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".ico": "image/x-icon",
  ".pdf": "application/pdf",
  ".gz": "application/gzip",
};

/**
 * A directory is its index.html, and without one 404; without its slash it redirects to the path that has it. Symbolic links are
 * followed, wherever they lead.
 */
export function startStaticSite(root: string, options: StaticSiteOptions = {}): Promise<Site> {
  return startSite(async (request, response) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      return answer(response, 405, "method not allowed\n");
    }
    // The URL parser takes the `..` out, and a `%2f` or a zero byte that comes out of the decoding is refused: so nothing
    // leaves the root.
    const url = new URL(`http://site.invalid${request.url}`);
    if (/%(2f|00)/i.test(url.pathname)) return answer(response, 404, "not found\n");
    if (options.robots !== undefined && url.pathname === "/robots.txt") return answer(response, 200, options.robots);
    let pathname: string;
    try {
      pathname = decodeURIComponent(url.pathname);
    } catch {
      return answer(response, 400, "bad escape in the path\n");
    }

    let file = join(root, pathname);
    let found = await statIfThere(file);
    if (found?.isDirectory() && !pathname.endsWith("/")) {
      return answer(response, 301, "moved\n", `${url.pathname}/${url.search}`);
    }
    if (found?.isDirectory()) {
      file = join(file, "index.html");
      found = await statIfThere(file);
    }
    if (!found?.isFile()) return answer(response, 404, "not found\n");

    const body = await readFile(file);
    response.writeHead(200, {
      "content-type": CONTENT_TYPES[extname(file).toLowerCase()] ?? "application/octet-stream",
      "content-length": body.length,
      "last-modified": found.mtime.toUTCString(),
    });
    response.end(body);
  }, options);
}

function answer(response: ServerResponse, status: number, text: string, location?: string): void {
  if (location !== undefined) response.setHeader("location", location);
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(text);
}

async function statIfThere(file: string) {
  try {
    return await stat(file);
  } catch (error) {
    // ENOTDIR is a path that goes on below a file.
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
