import type { Context } from "hono";
import { accepts } from "hono/accepts";

/** Whether a client prefers Markdown to HTML: `Accept: text/markdown`. Answers that depend on it say `Vary: Accept`. */
export function wantsMarkdown(c: Context): boolean {
  const supports = ["text/html", "application/xhtml+xml", "text/markdown"];
  return accepts(c, { header: "Accept", supports, default: "text/html" }) === "text/markdown";
}

export const MARKDOWN_TYPE = "text/markdown; charset=utf-8";
