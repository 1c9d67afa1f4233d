import type { Installation } from "./installation.ts";

/**
 * Pauses crawls that a killed process left running, and returns their ids: the heartbeat would continue them beside
 * what is to be done now. Those of other commands go on.
 */
export async function pauseInterrupted(
  { client, isOwn }: Pick<Installation, "client" | "isOwn">,
  except: string | null,
): Promise<string[]> {
  if (!isOwn) return [];
  const left = (await client.crawls({ all: true })).filter(({ id, status }) => status === "running" && id !== except);
  for (const { id } of left) await client.act(id, "pause");
  return left.map(({ id }) => id);
}
