import { createRequire } from "node:module";

/** An import of CommonJS reads all of it to find its exports, which takes a tenth of a start. */
export function loadMiniflare(): typeof import("miniflare") {
  return createRequire(import.meta.url)("miniflare");
}
