/** Notes when some names were found last: the newest last, and at most `most`. */
export function withTimes(
  known: Readonly<Record<string, number>> | undefined,
  names: readonly string[],
  now: number,
  most: number,
): Record<string, number> {
  const found = new Set(names);
  const others = Object.entries(known ?? {}).filter(([name]) => !found.has(name));
  return Object.fromEntries([...others, ...names.map((name) => [name, now] as const)].slice(-most));
}
