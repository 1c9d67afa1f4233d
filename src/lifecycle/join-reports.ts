import { type DatabaseRoom, shareOf } from "../crawl/bounds/database-room.ts";

/** Joins what the heartbeats of the ledgers did. */

/** Lists, counts, objects of counts, and how full a database is. */
type Report<T> = { [Name in keyof T]: unknown } & { room: DatabaseRoom | null };

/**
 * Lists are joined and counts added. `room` is that of the fullest database. `reports`: at least one; the first is that
 * of the first ledger.
 */
export function joinReports<T extends Report<T>>(reports: readonly T[]): T {
  const [first, ...others] = reports;
  if (first === undefined) throw new Error("no ledger had a heartbeat");
  const joined = others.reduce<T>((sum, each) => join(sum, each) as T, first);
  const rooms = reports.flatMap(({ room }) => room ?? []);
  return { ...joined, room: rooms.sort((a, b) => shareOf(b) - shareOf(a))[0] ?? null };
}

function join(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) return [...one, ...other];
  if (typeof one === "number" && typeof other === "number") return one + other;
  if (!isObject(one) || !isObject(other)) return one;
  return Object.fromEntries(Object.entries(one).map(([name, value]) => [name, join(value, other[name])]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
