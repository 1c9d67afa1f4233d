/** Serves an unkind site at a virtual date, which each request names. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { WatchRun } from "../freshness/pipeline/order.ts";
import { randomFrom } from "../freshness/random.ts";
import type { ServedSite } from "../freshness/serve-site.ts";
import type { Answer, Ask, UnkindSite } from "./site.ts";

const DAY_MS = 86_400_000;

export interface ServedUnkind extends ServedSite {
  /** Requests by path. */
  asked: Map<string, number>;
  /** The days of the answers that showed a page, by its path, in order. */
  shown: Map<string, number[]>;
}

export async function serveUnkind(site: UnkindSite, beginMs: number, seed: number): Promise<ServedUnkind> {
  const byPath = new Map(site.pages.map((page) => [page.path, page]));
  const links = site.pages.map(({ path }) => `<li><a href="${path}">${path.slice(3)}</a></li>`).join("");
  const list = `<!doctype html><html lang="en"><title>All pages</title><main><h1>All pages</h1><ul>${links}</ul></main>`;
  const handed = Promise.withResolvers<WatchRun>();
  const asked = new Map<string, number>();
  const shown = new Map<string, number[]>(site.pages.map(({ path }) => [path, []]));
  let number = 0;
  const server = createServer(async (request, response) => {
    const path = request.url ?? "/";
    if (path === "/run") {
      let text = "";
      for await (const part of request) text += part;
      handed.resolve(JSON.parse(text) as WatchRun);
      return response.end();
    }
    number += 1;
    asked.set(path, (asked.get(path) ?? 0) + 1);
    const time = Number(request.headers["x-virtual-time"] ?? beginMs);
    const ask: Ask = {
      day: (time - beginMs) / DAY_MS,
      number,
      cookie: request.headers.cookie ?? null,
      ifNoneMatch: request.headers["if-none-match"] ?? null,
      ifModifiedSince: request.headers["if-modified-since"] ?? null,
      random: randomFrom(seed * 1_000_003 + number),
    };
    const answer = answerOf(path, ask);
    if (answer.status === 200 && answer.isOther !== true) shown.get(path)?.push(ask.day);
    response.writeHead(answer.status, { "content-type": "text/html; charset=utf-8", ...answer.headers });
    response.end(answer.html ?? "");
  });
  const answerOf = (path: string, ask: Ask): Answer => {
    if (path === "/") return { status: 200, html: list };
    const page = byPath.get(path);
    if (page !== undefined) return page.answer(ask);
    return site.answerOther?.(path, ask) ?? { status: 404, html: "There is no such page." };
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    run: handed.promise,
    asked,
    shown,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
