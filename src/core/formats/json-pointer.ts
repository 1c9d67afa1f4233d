/** JSON Pointers (RFC 6901): `/offers/0/price`, in which a key has `~1` for a slash and `~0` for a tilde. */

export function escapeKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The keys of a pointer, from the outermost on. */
export function keysOfPointer(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value to which a pointer leads; null if there is none. */
export function valueAt(values: unknown, pointer: string): unknown {
  let value = values;
  for (const key of keysOfPointer(pointer)) value = (value as Record<string, unknown> | null)?.[key];
  return value ?? null;
}
