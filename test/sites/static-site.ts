/** Serves a directory of HTML as a plain web server does. */
import { readFile, stat } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { type Site, type SiteOptions, startSite } from "./site.ts";

interface StaticSiteOptions extends SiteOptions {
  /** Text of /robots.txt. Default: the file in the directory, or 404. */
  robots?: string;
}

/** HTML has no charset here, as with Apache: the page's own declaration counts. */
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
 * A directory serves its index.html, or 404. A directory path without a trailing slash redirects to the path with it.
 * Symbolic links are followed anywhere.
 */
export function startStaticSite(root: string, options: StaticSiteOptions = {}): Promise<Site> {
  return startSite(async (request, response) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      return answer(response, 405, "method not allowed\n");
    }
    // The URL parser resolves `..`; encoded slashes and zero bytes are refused. So no path leaves the root.
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
    // ENOTDIR: the path continues below a file.
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
