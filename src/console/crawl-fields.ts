import { crawlRequest } from "../api/crawl-request.ts";
import { fullSchemaOf, type JsonSchema } from "../api/json-schema.ts";

/** The options of a crawl as form fields. The labels stand here; everything else comes from the API's schema. */

export interface Field {
  /** The parameter's path in API errors, such as `politeness.minDelayMs`. */
  name: string;
  label: string;
  text: string;
  kind:
    | "text"
    | "date"
    | "interval"
    | "integer"
    | "number"
    | "switch"
    | "choice"
    | "choices"
    | "lines"
    | "pairs"
    | "forms"
    | "rules";
  min?: number;
  max?: number;
  choices: string[];
  default: unknown;
}

const WATCH_GROUP = "Watch";

/**
 * The groups of the form in order, with the labels of their fields. `url` and `limit` stand above the groups. A webhook
 * is added on a page of its own, which shows its secret.
 */
const GROUPS: [title: string, fields: Record<string, string>][] = [
  [
    "Scope",
    {
      urls: "More seed URLs",
      depth: "Max depth",
      source: "URL source",
      "options.includeSubdomains": "Include subdomains",
      "options.includeExternalLinks": "Include external links",
      "options.belowSeeds": "Only below the seeds",
      "options.includePatterns": "Include patterns",
      "options.excludePatterns": "Exclude patterns",
      preferPatterns: "Priority patterns",
      languages: "Languages",
      preferLanguages: "Priority languages",
      countries: "Countries",
      llmsTxt: "Read llms.txt",
      scriptLinks: "Links in scripts and data",
      forms: "Search forms",
      assets: "Store images, styles and fonts",
      media: "Describe sounds, films and pictures",
      dryRun: "Dry run",
    },
  ],
  [
    "Subject",
    {
      topic: "Words of the subject",
      like: "Example pages",
      likeTexts: "Example texts (one a line)",
      until: "Least share of relevant pages (0 to 1)",
      limitPerHost: "Page limit per host",
    },
  ],
  [
    "Browser",
    {
      render: "Draw pages in a browser",
      screenshot: "Keep pictures of drawn pages",
      "renderOptions.waitFor": "Wait for element",
      "renderOptions.click": "Click elements",
      "renderOptions.scroll": "Scroll to the end (times)",
      "renderOptions.dismissBanners": "Close cookie banners",
      "renderOptions.viewport.width": "Window width (px)",
      "renderOptions.viewport.height": "Window height (px)",
    },
  ],
  [
    "Politeness",
    {
      "politeness.minDelayMs": "Min delay (ms)",
      "politeness.maxDelayMs": "Max delay (ms)",
      "politeness.delayFactor": "Delay factor",
      "politeness.maxConcurrencyPerHost": "Max concurrency per host",
      "politeness.maxBytesPerSecond": "Bandwidth per host (bytes/s)",
      userAgent: "User agent",
      from: "From (mail address)",
      headers: "Request headers",
      keepCookies: "Keep cookies",
    },
  ],
  [
    "Limits",
    {
      maxCostUsd: "Cost limit (US$)",
      maxBytes: "Size limit (bytes)",
      maxDurationS: "Time limit (s)",
      timeoutMs: "Request timeout (ms)",
      maxBodyBytes: "Max body size (bytes)",
      maxDocumentBytes: "Max document size (bytes)",
      maxAttempts: "Max attempts per URL",
      maxRedirects: "Max redirects",
      maxQueued: "Max queued URLs",
      retentionDays: "Retention (days)",
    },
  ],
  [
    "Content",
    {
      documents: "Documents",
      preferMarkdown: "Prefer Markdown",
      formats: "Formats",
      fields: "Fields by rules",
      chunkTokens: "Chunk size (tokens)",
      search: "Full-text search",
      store: "Storage",
      modifiedSince: "Modified since",
    },
  ],
  [
    WATCH_GROUP,
    {
      "watch.everyS": "Visit each page every",
      "watch.fixed": "Visit all pages alike",
      "watch.ignore.selectors": "Ignored elements",
      "watch.ignore.patterns": "Ignored text",
      "watch.ignore.urls": "Ignored pages",
      "watch.ignore.leastShare": "Least changed share (0 to 1)",
      "watch.keepDays": "Keep old versions (days)",
    },
  ],
  [
    "Robots",
    {
      pageRobots: "Obey robots meta tags",
      ignoreRobots: "Ignore robots.txt on own hosts",
      ownHosts: "Own private hosts",
      crawlPurposes: "Crawl purposes",
      contentUse: "Content use",
    },
  ],
  [
    "Traps",
    {
      "traps.maxUrlLength": "Max URL length",
      "traps.maxPathDepth": "Max path segments",
      "traps.maxRepeatedSegments": "Max repeated segments",
      "traps.maxVariants": "Max URL variants",
      "traps.maxChain": "Max variant chain",
      "traps.maxDuplicates": "Max duplicate pages",
      keepDuplicates: "Keep duplicate URLs",
      keepEndless: "Keep endless patterns",
    },
  ],
];
/** Help texts of fields that are a date in the form and seconds since 1970 in the API. */
const DAYS: Record<string, string> = {
  modifiedSince: "Store only pages modified on or after this day (UTC), by sitemap, Last-Modified or a 304 answer.",
};
/** Help texts of fields that are a time such as `7d` in the form and seconds in the API. */
const INTERVALS: Record<string, string> = {
  "watch.everyS": "Mean time between two visits of a page, such as 12h, 7d or 2w. Without it, a crawl ends.",
};
/** Parameters that are JSON in the form. */
const RULES = new Set(["fields"]);
/** The group of API parameters that have no label above. */
const OTHERS = "More";

let groups: { title: string; fields: Field[] }[] | undefined;

/** The form's groups, built on first use. */
export function fieldGroups(): { title: string; fields: Field[] }[] {
  if (groups !== undefined) return groups;
  const fields = new Map(fieldsOf(fullSchemaOf(crawlRequest, "input")).map((field) => [field.name, field]));
  for (const name of ["url", "limit", "webhook"]) fields.delete(name);
  const labelled = GROUPS.map(([title, labels]) => ({
    title,
    fields: Object.entries(labels).flatMap(([name, label]) => {
      const field = fields.get(name);
      fields.delete(name);
      return field === undefined ? [] : [{ ...field, label, text: withLabels(field) }];
    }),
  }));
  groups = fields.size === 0 ? labelled : [...labelled, { title: OTHERS, fields: [...fields.values()] }];
  return groups;
}

export function crawlFields(): Field[] {
  return fieldGroups().flatMap(({ fields }) => fields);
}

/** The fields of a watch, which can change after its start. */
export function watchFields(): Field[] {
  return fieldGroups().find(({ title }) => title === WATCH_GROUP)?.fields ?? [];
}

const LABELS = Object.fromEntries(
  GROUPS.flatMap(([, labels]) => Object.entries(labels)).map(([name, label]) => [name.replace(/^.*\./, ""), label]),
);

/** The field's help text, with API names replaced by the form's labels. */
function withLabels(field: Field): string {
  const text = field.text.replace(/`(\w+)`/g, (_, name) =>
    name in LABELS && !field.choices.includes(name) ? `“${LABELS[name]}”` : name,
  );
  return text.replaceAll("`", "");
}

function fieldsOf({ properties = {} }: JsonSchema, below = ""): Field[] {
  return Object.entries(properties).flatMap(([key, property]) => {
    const schema = withoutNull(property as JsonSchema);
    const name = below + key;
    return schema.properties === undefined ? [fieldOf(name, schema)] : fieldsOf(schema, `${name}.`);
  });
}

/** The object of a parameter that is an object or null. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const [object, other] = schema.anyOf ?? [];
  return object?.properties !== undefined && other?.type === "null" ? object : schema;
}

function fieldOf(name: string, schema: JsonSchema): Field {
  const { description = "", minimum, maximum } = schema;
  const items = schema.items as JsonSchema | undefined;
  return {
    name,
    label: name,
    text: DAYS[name] ?? INTERVALS[name] ?? description,
    kind: RULES.has(name) ? "rules" : name in DAYS ? "date" : name in INTERVALS ? "interval" : kindOf(schema, items),
    ...(minimum === undefined ? {} : { min: minimum }),
    ...(maximum === undefined ? {} : { max: maximum }),
    choices: (schema.enum ?? items?.enum ?? []).map(String),
    // A schema that turns one form into another shows no default.
    default: RULES.has(name) ? [] : schema.default,
  };
}

function kindOf({ type, enum: words }: JsonSchema, items: JsonSchema | undefined): Field["kind"] {
  if (words !== undefined) return "choice";
  if (type === "array" && items?.type === "object") return "forms";
  if (type === "array") return items?.enum === undefined ? "lines" : "choices";
  if (type === "object") return "pairs";
  if (type === "boolean") return "switch";
  return type === "integer" || type === "number" ? type : "text";
}
