/** Recognizes a JSON Feed that a server calls JSON: https://www.jsonfeed.org/version/1.1/#top-level */

const START_BYTES = 2_048;
const START = /^\ufeff?\s*\{/;
const VERSION = /"version"\s*:\s*"https?:(?:\\?\/){2}jsonfeed\.org(?:\\?\/)version(?:\\?\/)/;

/** By its `version`, which comes first in practice. The file is not parsed. */
export function isJsonFeed(bytes: Uint8Array): boolean {
  const start = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes.subarray(0, START_BYTES));
  return START.test(start) && VERSION.test(start);
}
