import { type JsonSchema, wholeSchemaOf } from "../api/json-schema.ts";
import { crawlRequest } from "../api/schemas.ts";

/** What can be asked of a crawl, as fields of a form: kinds, bounds, defaults and sentences are the API's own, names for people are ours. */

export interface Field {
  /** As the API names it in an error: what is inside another behind a dot. */
  name: string;
  label: string;
  text: string;
  kind: "text" | "date" | "integer" | "number" | "switch" | "choice" | "choices" | "lines" | "pairs";
  min?: number;
  max?: number;
  choices: string[];
  default: unknown;
}

/** The groups of the form, in their order, and the fields of each with their labels. `url` and `limit` stand above them. */
const GROUPS: [title: string, fields: Record<string, string>][] = [
  [
    "Scope",
    {
      urls: "More seeds",
      depth: "Depth",
      source: "Find URLs in",
      "options.includeSubdomains": "Subdomains too",
      "options.includeExternalLinks": "Other hosts too",
      "options.includePatterns": "Only URLs like",
      "options.excludePatterns": "Never URLs like",
      preferPatterns: "First URLs like",
      scriptLinks: "Links in scripts and data",
      assets: "Images, styles and fonts too",
      dryRun: "Dry run",
    },
  ],
  [
    "Pace",
    {
      "politeness.minDelayMs": "Least rest (ms)",
      "politeness.maxDelayMs": "Most rest (ms)",
      "politeness.delayFactor": "Rest by the last fetch",
      "politeness.maxConcurrencyPerHost": "Connections to a host",
      userAgent: "User agent",
      headers: "Headers",
    },
  ],
  [
    "Limits",
    {
      maxCostUsd: "Most cost (US$)",
      maxDurationS: "Most time (s)",
      timeoutMs: "Time for one fetch (ms)",
      maxBodyBytes: "Most bytes of a body",
      maxAttempts: "Tries of one URL",
      maxRedirects: "Redirects in a row",
      maxQueued: "URLs in motion",
      retentionDays: "Delete after (days)",
    },
  ],
  [
    "Content",
    {
      formats: "Make of each page",
      search: "Full-text search",
      store: "Kept as",
      modifiedSince: "Only pages changed since",
    },
  ],
  ["Robots", { pageRobots: "Obey pages' own directives", crawlPurposes: "Purposes", contentUse: "Use of a page" }],
  [
    "Traps",
    {
      "traps.maxUrlLength": "Length of a URL",
      "traps.maxPathDepth": "Path segments",
      "traps.maxRepeatedSegments": "Repeated segments",
      "traps.maxVariants": "Variants of one URL",
      "traps.maxChain": "Variants in a row",
      "traps.maxDuplicates": "Pages of one content",
    },
  ],
];
/** What a program gives in seconds since 1970, and a person as a day: it begins where the API's days do. */
const DAYS: Record<string, string> = {
  modifiedSince:
    "Keep only pages that have changed since that day began (UTC), as sitemaps, Last-Modified and 304 tell.",
};
/** What the API is yet to be given here appears all the same. */
const OTHERS = "More";

let made: { title: string; fields: Field[] }[] | undefined;

/** Made when a form is first asked for. */
export function fieldGroups(): { title: string; fields: Field[] }[] {
  if (made !== undefined) return made;
  const fields = new Map(fieldsOf(wholeSchemaOf(crawlRequest, "input")).map((field) => [field.name, field]));
  for (const name of ["url", "limit"]) fields.delete(name);
  const groups = GROUPS.map(([title, labels]) => ({
    title,
    fields: Object.entries(labels).flatMap(([name, label]) => {
      const field = fields.get(name);
      fields.delete(name);
      return field === undefined ? [] : [{ ...field, label }];
    }),
  }));
  const named = groups.map(({ title, fields: known }) => ({ title, fields: known.map(spoken) }));
  made = fields.size === 0 ? named : [...named, { title: OTHERS, fields: [...fields.values()] }];
  return made;
}

const LABELS = Object.fromEntries(
  GROUPS.flatMap(([, labels]) => Object.entries(labels)).map(([name, label]) => [name.replace(/^.*\./, ""), label]),
);

/** Its sentence with other fields by the names that they have here. */
function spoken(field: Field): Field {
  const text = field.text.replace(/`(\w+)`/g, (_, name) =>
    name in LABELS && !field.choices.includes(name) ? `“${LABELS[name]}”` : name,
  );
  return { ...field, text: text.replaceAll("`", "") };
}

function fieldsOf({ properties = {} }: JsonSchema, below = ""): Field[] {
  return Object.entries(properties).flatMap(([key, property]) => {
    const schema = property as JsonSchema;
    const name = below + key;
    return schema.properties === undefined ? [fieldOf(name, schema)] : fieldsOf(schema, `${name}.`);
  });
}

function fieldOf(name: string, schema: JsonSchema): Field {
  const { description = "", minimum, maximum } = schema;
  const items = schema.items as JsonSchema | undefined;
  return {
    name,
    label: name,
    text: DAYS[name] ?? description,
    kind: name in DAYS ? "date" : kindOf(schema, items),
    ...(minimum === undefined ? {} : { min: minimum }),
    ...(maximum === undefined ? {} : { max: maximum }),
    choices: (schema.enum ?? items?.enum ?? []).map(String),
    default: schema.default,
  };
}

function kindOf({ type, enum: words }: JsonSchema, items: JsonSchema | undefined): Field["kind"] {
  if (words !== undefined) return "choice";
  if (type === "array") return items?.enum === undefined ? "lines" : "choices";
  if (type === "object") return "pairs";
  if (type === "boolean") return "switch";
  return type === "integer" || type === "number" ? type : "text";
}
