import type { PassView } from "../../api/views.ts";
import type { Client } from "../installation/client.ts";

const NAMES: Record<PassView["kind"], string> = {
  analyze: "The analysis",
  classify: "The classification",
  topics: "The search for topics",
  export: "The export",
  extract: "The extraction",
};

/**
 * Sends the crawls and watches again that an earlier process left: its queue was in memory, so all their messages are
 * lost. Its passes stand still, and go on when somebody asks for them. The heartbeat repairs what fails here.
 */
export async function continueCrawls(client: Client, say: (line: string) => void): Promise<void> {
  for (const { id, status } of await client.crawls({ all: true })) {
    await continuePass(id, client, say).catch((error: unknown) =>
      console.error(`The analysis of crawl ${id} was interrupted before, and goes on later: ${String(error)}`),
    );
    if (status !== "running" && status !== "watching") continue;
    const goesOn = status === "watching" ? `Watch ${id} goes on.` : `Crawl ${id} was interrupted before, and goes on.`;
    await client.act(id, "resume").then(
      () => say(goesOn),
      (error: unknown) => console.error(`Crawl ${id} was interrupted before, and goes on later: ${String(error)}`),
    );
  }
}

async function continuePass(id: string, client: Client, say: (line: string) => void): Promise<void> {
  const [pass] = await client.passes(id);
  if (pass?.status !== "running") return;
  // Whoever asks for an analysis makes the pass that runs go on. One of another kind is then the answer, as a refusal.
  const asked = pass.kind === "extract" ? client.startExtraction(id) : client.analyze(id);
  await (["analyze", "extract"].includes(pass.kind) ? asked : asked.catch(() => undefined));
  say(`${NAMES[pass.kind]} of crawl ${id} was interrupted before, and goes on.`);
}
