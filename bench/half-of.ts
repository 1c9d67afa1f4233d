import { createHash } from "node:crypto";

/** The half of a set that a page belongs to, by the SHA-256 of its name: the even one is for tuning. */
export function halfOf(name: string): "even" | "odd" {
  const last = createHash("sha256").update(name).digest().at(-1) ?? 0;
  return last % 2 === 0 ? "even" : "odd";
}
