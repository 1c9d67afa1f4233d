import * as z from "zod";
import { logError } from "../../core/log.ts";
import type { Api } from "./ask-api.ts";
import { CAUTION } from "./foreign-text.ts";
import type { Own } from "./own-words.ts";
import { separateFields, separateSchema, whoseWords } from "./separate-words.ts";

/** A tool of the MCP server: operations of the API, with their own schemas, and a short answer. */

export interface Tool {
  name: string;
  title: string;
  description: string;
  /**
   * - `reads`: changes nothing.
   * - `writes`: adds, or can be undone.
   * - `ends`: cannot be undone.
   * Only `reads` is there for a token that only reads.
   */
  effect: "reads" | "writes" | "ends";
  /** Whether it sends requests to other hosts, or makes a crawl do so. */
  asksOthers: boolean;
  input: z.ZodObject;
  /** With the words of sites in fields of their own (separate-words.ts). */
  answer: z.ZodObject;
  run(given: Record<string, unknown>, api: Api): Promise<Answered>;
}

/** What a tool answers: the same as an object and as a text. */
export interface Answered extends Told {
  /** Null if it is not as its schema says: then nobody knows which words are a site's. */
  structured: Record<string, unknown> | null;
}

export interface Told {
  head: Own;
  /** What sites wrote, and lines that repeat it. */
  quoted?: string;
  /** How to get more. */
  foot?: Own;
}

/** A mistake that a tool tells itself. */
export class ToolProblem extends Error {
  readonly told: Told;

  constructor(told: Told) {
    super(told.head);
    this.told = told;
  }
}

interface Definition<In extends z.ZodObject, Out extends z.ZodObject, Given>
  extends Pick<Tool, "name" | "title" | "description">,
    Partial<Pick<Tool, "effect" | "asksOthers">> {
  input: In;
  answer: Out;
  /** `structured` may have fields that the answer's schema leaves out. */
  run(given: Given, api: Api): Promise<Told & { structured: z.input<Out> }>;
}

/** A tool whose input is the body of a request. Its values come with their defaults. */
export function toolOfBody<In extends z.ZodObject, Out extends z.ZodObject>(
  definition: Definition<In, Out, z.output<In>>,
): Tool {
  return toTool(definition, (given) => definition.input.parse(given));
}

/** Values as they are written in a query. A parameter without a default may be missing. */
type InQuery<In extends z.ZodObject> = {
  [Name in keyof z.output<In>]: undefined extends z.output<In>[Name] ? string | undefined : string;
};

/**
 * A tool whose input is the query of a request: numbers and booleans may come as such. Schemas of queries turn values
 * into others, so the API gets them as they were sent, and parses them again.
 */
export function toolOfQuery<In extends z.ZodObject, Out extends z.ZodObject>(
  definition: Definition<In, Out, InQuery<In>>,
): Tool {
  return toTool(definition, (given) => {
    const sent = inQuery(given);
    const defaults = Object.entries(definition.input.parse(sent)).filter(([name]) => !(name in sent));
    return { ...inQuery(Object.fromEntries(defaults)), ...sent } as InQuery<In>;
  });
}

function inQuery(values: Record<string, unknown>): Record<string, string> {
  const present = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return Object.fromEntries(present.map(([name, value]) => [name, String(value)]));
}

const CAUTIONED = z.strictObject({ caution: z.string().describe("How to take words of sites.") });

function toTool<In extends z.ZodObject, Out extends z.ZodObject, Given>(
  { effect = "reads", asksOthers = false, run, ...rest }: Definition<In, Out, Given>,
  read: (given: Record<string, unknown>) => Given,
): Tool {
  const whole = rest.answer.strip();
  const isOurs = whoseWords(rest.answer) === "ours";
  return {
    ...rest,
    answer: isOurs ? rest.answer : CAUTIONED.extend(separateSchema(rest.answer).shape),
    effect,
    asksOthers,
    run: async (given, api) => {
      const { structured, ...told } = await run(read(given), api);
      const { data, error } = whole.safeParse(structured);
      if (error !== undefined) {
        logError("mcp-answer-unexpected", error, { tool: rest.name });
        return { ...told, structured: null };
      }
      return { ...told, structured: isOurs ? data : { caution: CAUTION, ...separateFields(whole, data) } };
    },
  };
}

/** A parameter of the API with another default or bound, because an answer here is read by a model. */
export function fewer<T extends z.ZodNumber | z.ZodCoercedNumber>(
  schema: z.ZodDefault<T>,
  most: number,
  fallback: number,
) {
  return schema
    .unwrap()
    .max(most)
    .default(fallback)
    .describe(schema.description ?? "");
}

const crawlName = z.string().min(4).optional();

/** The crawl that a tool is about (choose-crawl.ts). */
export const anyCrawl = crawlName.describe("Its id, `latest`, or its site. Without it: the newest.");
export const crawlWithPage = crawlName.describe("Its id, `latest`, or its site. Without it: the newest with the page.");
export const namedCrawl = crawlName.describe("Its id, or `latest`. Without it, the answer lists the crawls.");

export function pathOf(crawl: string): string {
  return `/api/crawls/${encodeURIComponent(crawl)}`;
}
