import { CRAWL_TOOLS } from "./crawl-tools.ts";
import { PAGE_TOOLS } from "./page-tools.ts";
import type { Tool } from "./tool.ts";
import { WRITING_TOOLS } from "./writing-tools.ts";

/** All tools, in the order in which clients list them. docs/mcp.md has a row of each. */
export const TOOLS: readonly Tool[] = [...CRAWL_TOOLS, ...PAGE_TOOLS, ...WRITING_TOOLS];
