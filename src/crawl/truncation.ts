/**
 * How a body is broken, as WARC-Truncated says it: the transfer broke off, or the body violates its content coding.
 * https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/#warc-truncated
 */
export const TRUNCATIONS = ["disconnect", "unspecified"] as const;
export type Truncation = (typeof TRUNCATIONS)[number];
