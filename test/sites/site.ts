/** A web site on loopback that logs every request, so that tests can judge a crawler by what the site saw. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";

interface RequestLogEntry {
  method: string;
  /** The request target as sent, with its query. */
  path: string;
  /** Milliseconds since the Unix epoch, with fractions, from a monotonic clock. */
  startedAt: number;
  /** When the handler called `end` or the client disconnected; undefined while in flight. */
  finishedAt: number | undefined;
  /** Undefined while in flight, and if the client disconnected first. */
  status: number | undefined;
  userAgent: string;
  /** The Host header. */
  host: string;
  /** Identifies the connection. */
  remotePort: number;
}

export interface Site {
  /** `http://host:port`, without a trailing slash. */
  origin: string;
  host: string;
  port: number;
  /** Requests in order of arrival. `log.length = 0` starts a new count; `connectionsPeak` is not affected. */
  log: RequestLogEntry[];
  /**
   * The maximum of requests in flight at once since the start, from arrival to the call of `end`. It is never too high
   * if `end` sends the body. It is too low if handlers answer at once, so give the site a `delayMs`.
   */
  connectionsPeak(): number;
  /** Logged requests by path. */
  counts(): Map<string, number>;
  /** Aborts requests in flight. Safe to call twice. */
  close(): Promise<void>;
}

export interface SiteOptions {
  /** The address to listen on; each 127.x.y.z is another host. Default: 127.0.0.1. */
  host?: string;
  /** Default: 0, any free port. */
  port?: number;
  /** The delay before each request is handled, in milliseconds. Default: 0. */
  delayMs?: number;
  /** Holds a request until it resolves, after `delayMs`. `nth` counts the requests from 1. */
  hold?: (nth: number) => Promise<void>;
  /** Called as each request ends. */
  onFinished?: (entry: RequestLogEntry) => void;
}

export type SiteHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Resolves when the site listens. A handler that throws answers 500 with its stack. */
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
      host: request.headers.host ?? "",
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
    // The event `finish` is too late: the client may already have sent its next request.
    const { end } = response;
    response.end = (...args: unknown[]) => {
      finished(response.statusCode);
      return Reflect.apply(end, response, args);
    };
    response.once("close", () => finished(undefined));
    const nth = log.length;
    if (options.delayMs) await setTimeout(options.delayMs);
    await options.hold?.(nth);
    try {
      await handler(request, response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else
        response
          .writeHead(500, { "content-type": "text/plain" })
          .end(error instanceof Error ? error.stack : String(error));
    }
  });
  // Longer than any pause of a test, so that the site never closes a connection.
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
        // The only error of close() is that the server is already closed.
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
