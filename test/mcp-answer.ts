import type { Client } from "@modelcontextprotocol/client";

/** What a tool of MCP answered. */
export interface McpAnswer {
  isError: boolean;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each tool has its own
  data: any;
}

export async function callTool(from: Client, name: string, given: Record<string, unknown> = {}): Promise<McpAnswer> {
  const answer = await from.callTool({ name, arguments: given });
  const text = (answer.content as { text: string }[]).map((block) => block.text).join("\n");
  return { isError: answer.isError === true, text, data: answer.structuredContent };
}

/** The words that a test planted on a site: each place has its own. */
const PLANTED = /zq[a-z]+/gi;

/** The planted words of an answer: those that are marked as a site's, and where the others stand. */
export function plantedIn({ text, data }: McpAnswer): { marked: Set<string>; bare: string[] } {
  const marked = new Set<string>();
  const bare: string[] = [];
  const wordsOf = (said: string) => [...said.matchAll(PLANTED)].map(([word]) => word.toLowerCase());
  const look = (said: string, isMarked: boolean, where: string) => {
    for (const word of wordsOf(said)) {
      if (isMarked) marked.add(word);
      else bare.push(`${word} in ${where}`);
    }
  };
  const { ours, theirs } = splitAtMarks(text);
  look(theirs, true, "the text");
  look(ours, false, `the text: ${ours}`);
  const walk = (value: unknown, path: string[]) => {
    const isMarked = path.includes("site");
    if (typeof value === "string") look(value, isMarked, path.join("."));
    if (typeof value !== "object" || value === null) return;
    for (const [name, each] of Object.entries(value)) {
      look(name, isMarked, `the name ${[...path, name].join(".")}`);
      walk(each, [...path, name]);
    }
  };
  walk(data, []);
  return { marked, bare };
}

/** The marked part of a text, and the rest of it with the lines of the marks. */
export function splitAtMarks(text: string): { ours: string; theirs: string } {
  const [begin = "", mark = ""] = /^\[(quote-[0-9a-f]{8}) begins: [^\]]*words of sites[^\]]*\]$/m.exec(text) ?? [];
  if (begin === "") return { ours: text, theirs: "" };
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(`\n[${mark} ends]`, from);
  if (to === -1) throw new Error(`nothing ends what ${mark} begins`);
  return { ours: text.slice(0, from) + text.slice(to), theirs: text.slice(from, to) };
}
