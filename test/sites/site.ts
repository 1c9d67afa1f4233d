/** A web site on loopback that remembers every request, so that a test can judge a crawler by what the site saw. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";

export interface RequestLogEntry {
  method: string;
  /** The request target as it was sent, with its query. */
  path: string;
  /** Milliseconds since the Unix epoch, with fractions; steady, so that differences can be trusted. */
  startedAt: number;
  /** When the handler called `end`, or the client went away before that; undefined while in flight. */
  finishedAt: number | undefined;
  /** Undefined while in flight, and where the client went away first. */
  status: number | undefined;
  userAgent: string;
  /** Tells one connection from another. */
  remotePort: number;
}

export interface Site {
  /** `http://host:port`, without a slash at the end. */
  origin: string;
  host: string;
  port: number;
  /** In order of arrival. Empty it (`log.length = 0`) to begin a new count; `connectionsPeak` is not affected. */
  log: RequestLogEntry[];
  /**
   * Most requests in flight at once, from the arrival to the call of `end`, since the site started. It never says too much
   * about handlers whose `end` sends the body, and too little about those that answer at once: give the site a `delayMs`.
   */
  connectionsPeak(): number;
  /** Requests in the log by path. */
  counts(): Map<string, number>;
  /** Breaks off what is in flight. Safe to call twice. */
  close(): Promise<void>;
}

export interface SiteOptions {
  /** Where to listen; any 127.x.y.z serves as another host. Default 127.0.0.1. */
  host?: string;
  /** Default 0: one that is free. */
  port?: number;
  /** Each request waits this long before it is handled. Default 0: handled at once. */
  delayMs?: number;
  /** Called as each request ends. */
  onFinished?: (entry: RequestLogEntry) => void;
}

export type SiteHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Resolves when it listens. A handler that throws answers 500 with the stack, which no test expects, and so is found. */
export async function startSite(handler: SiteHandler, options: SiteOptions = {}): Promise<Site> {
  const host = options.host ?? "127.0.0.1";
  const log: RequestLogEntry[] = [];
  let inFlight = 0;
  let peak = 0;

  const server = createServer(async (request, response) => {
    const entry: RequestLogEntry = {
      method: request.method ?? "",
      path: request.url ?? "",
      startedAt: now(),
      finishedAt: undefined,
      status: undefined,
      userAgent: request.headers["user-agent"] ?? "",
      remotePort: request.socket.remotePort ?? 0,
    };
    log.push(entry);
    inFlight++;
    peak = Math.max(peak, inFlight);
    const finished = (status: number | undefined) => {
      if (entry.finishedAt !== undefined) return;
      entry.finishedAt = now();
      entry.status = status;
      inFlight--;
      options.onFinished?.(entry);
    };
    // Not at the event `finish`: it comes when the client may already have the answer and have sent its next request.
    const { end } = response;
    response.end = (...args: unknown[]) => {
      finished(response.statusCode);
      return Reflect.apply(end, response, args);
    };
    response.once("close", () => finished(undefined));
    if (options.delayMs) await setTimeout(options.delayMs);
    try {
      await handler(request, response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { "content-type": "text/plain" }).end(String((error as Error).stack ?? error));
    }
  });
  // Longer than any pause of a test: that a connection ends is never the site's doing.
  server.keepAliveTimeout = 60_000;

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    origin: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    host,
    port,
    log,
    connectionsPeak: () => peak,
    counts: () => {
      const counts = new Map<string, number>();
      for (const { path } of log) counts.set(path, (counts.get(path) ?? 0) + 1);
      return counts;
    },
    close: () =>
      new Promise((resolve) => {
        // The only error of close() is that the server does not run any more, which is what was asked for.
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
