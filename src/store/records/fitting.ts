/** D1 takes 2 MB a parameter: https://developers.cloudflare.com/d1/platform/limits/ */
const MAX_PARAMETER_BYTES = 1_900_000;

const encoder = new TextEncoder();

/** Splits a list, in order, into parts that fit into a JSON parameter of D1. An empty list has one part. */
export function fitting<T>(items: readonly T[]): T[][] {
  const parts: T[][] = [[]];
  let room = MAX_PARAMETER_BYTES;
  for (const item of items) {
    const length = encoder.encode(JSON.stringify(item)).length + 1;
    if (length > room) {
      parts.push([]);
      room = MAX_PARAMETER_BYTES;
    }
    parts.at(-1)?.push(item);
    room -= length;
  }
  return parts;
}
