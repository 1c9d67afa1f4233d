/** The role of a queue of this Worker, by its name in `[vars.QUEUES]` of wrangler.toml. */

export type QueueRole = "frontier" | "deadLetter" | "notices" | "documents";

/** Throws for a queue without a role: its messages are retried, and the log says what to do. */
export function roleOfQueue(name: string, names: Readonly<Record<QueueRole, string>>): QueueRole {
  if (name === names.frontier) return "frontier";
  if (name === names.deadLetter) return "deadLetter";
  if (name === names.notices) return "notices";
  if (name === names.documents) return "documents";
  throw new Error(`the queue ${name} has no role: name it under [vars.QUEUES] in wrangler.toml`);
}
