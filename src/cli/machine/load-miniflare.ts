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

/** The module as CommonJS: an import of that reads all of it to find its exports, which takes a tenth of a start. */
export function loadMiniflare(): typeof import("miniflare") {
  const path = createRequire(import.meta.url).resolve("miniflare");
  const module = new Module(path) as Module & { _compile(source: string, path: string): void };
  module.filename = path;
  module.paths = createRequire(path).resolve.paths("miniflare") ?? [dirname(path)];
  module._compile(withDoublingMessage(readFileSync(path, "utf8")), path);
  return module.exports;
}
