import { readFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { dirname } from "node:path";

/** Loads miniflare, the part of wrangler that runs workerd. */

/**
 * How miniflare enlarges the message that it sends to workerd, which holds the Worker: by a few kilobytes at a time,
 * and each time it copies all of it (`SingleSegmentArena` of capnp-es: https://github.com/unjs/capnp-es).
 */
const GROWS_SLOWLY = "s.buffer = new ArrayBuffer(srcBuffer.byteLength + minSize);";
/** Twice as large each time, so that a start copies megabytes and not a gigabyte. */
const DOUBLES = "s.buffer = new ArrayBuffer(srcBuffer.byteLength + Math.max(minSize, srcBuffer.byteLength));";

/** The source with a message that doubles; the source as it is if another version grows it in another way. */
export function withDoublingMessage(source: string): string {
  return source.replace(GROWS_SLOWLY, DOUBLES);
}

/**
 * Sets the environment of wrangler and miniflare, before their import. `logs`: the folder for their logs. Unused
 * features are off.
 */
export function configureMiniflare(logs: string): void {
  process.env.WRANGLER_LOG_PATH = logs;
  process.env.WRANGLER_SEND_METRICS = "false";
  process.env.WRANGLER_HIDE_BANNER = "true";
  process.env.WRANGLER_LOG = "none";
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";
  // Traces of every invocation, and a page to browse them, would take a third of the time of a crawl.
  process.env.X_LOCAL_OBSERVABILITY = "false";
  process.env.X_LOCAL_EXPLORER = "false";
  process.env.MINIFLARE_WORKERD_V8_FLAGS = workerdFlags();
}

/**
 * The V8 flags of workerd. A small nursery and small initial heaps make V8 collect the garbage of a page soon.
 * Otherwise the heap of each of workerd's twenty isolates grows to many times the memory that it needs, and a third
 * more stays outside the heaps. CPU time per page is the same.
 */
export function workerdFlags(): string {
  return process.env.MINIFLARE_WORKERD_V8_FLAGS ?? "--max-semi-space-size=1 --initial-old-space-size=4";
}

let loaded: typeof import("miniflare") | null = null;

/** The module as CommonJS: an import of that reads all of it to find its exports, which takes a tenth of a start. */
export function loadMiniflare(): typeof import("miniflare") {
  loaded ??= load();
  return loaded;
}

function load(): typeof import("miniflare") {
  const path = createRequire(import.meta.url).resolve("miniflare");
  const module = new Module(path) as Module & { _compile(source: string, path: string): void };
  module.filename = path;
  module.paths = createRequire(path).resolve.paths("miniflare") ?? [dirname(path)];
  module._compile(withDoublingMessage(readFileSync(path, "utf8")), path);
  return module.exports;
}
