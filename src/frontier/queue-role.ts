/** What a queue of this Worker is for, told by its name, which `[vars.QUEUES]` of wrangler.toml gives. */

export type QueueRole = "frontier" | "deadLetter";

/** Throws for a queue that nobody named: its messages come back, and the log says what to do. */
export function roleOfQueue(name: string, names: Readonly<Record<QueueRole, string>>): QueueRole {
  if (name === names.frontier) return "frontier";
  if (name === names.deadLetter) return "deadLetter";
  throw new Error(`the queue ${name} has no role: name it under [vars.QUEUES] in wrangler.toml`);
}
