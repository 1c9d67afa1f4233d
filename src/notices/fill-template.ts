/**
 * Templates of notices. A template has names in double braces, as `{{subject}}`, and nothing that runs. What stands for
 * a name is escaped by the format of the template, so that no word of a page can change its form.
 */

/** What a template may name. `data` is the notice's data, as JSON. */
export const TEMPLATE_NAMES = [
  "subject",
  "text",
  "url",
  "event",
  "crawl",
  "timestamp",
  "id",
  "from",
  "to",
  "data",
] as const;
export type TemplateName = (typeof TEMPLATE_NAMES)[number];
export type TemplateValues = Record<TemplateName, string>;

type Format = "json" | "form" | "markup" | "text";

export const MAX_TEMPLATE = 10_000;
/** A page's words come once for each name, so that a notice is bounded. */
const MAX_NAMES = 20;
const MAX_LARGE = 2;
const NAME = /\{\{([^{}]*)\}\}/g;

/** The content type of what a template makes, unless a header says another. */
export function contentTypeOf(template: string, headers: Readonly<Record<string, string>>): string {
  return (
    headers["content-type"] ?? (parseJson(template) === undefined ? "text/plain; charset=utf-8" : "application/json")
  );
}

/** What is wrong with a template, in words; null if it can be filled. */
export function findTemplateProblem(template: string, headers: Readonly<Record<string, string>>): string | null {
  if (template.trim() === "") return "is empty";
  if (template.length > MAX_TEMPLATE) return `has more than ${MAX_TEMPLATE} characters`;
  const names = [...template.matchAll(NAME)].map(([, name = ""]) => name.trim());
  const unknown = names.find((name) => !isName(name));
  if (unknown !== undefined) return `names {{${unknown}}}, which is none of ${TEMPLATE_NAMES.join(", ")}`;
  if (names.length > MAX_NAMES) return `has more than ${MAX_NAMES} names`;
  if (names.filter((name) => name === "text" || name === "data").length > MAX_LARGE)
    return `names text and data more than ${MAX_LARGE} times`;
  if (formatOf(contentTypeOf(template, headers)) === "json" && parseJson(template) === undefined)
    return 'is no JSON, which its content type asks for; names stand within quotation marks, as in {"text": "{{text}}"}';
  return null;
}

/** The template must have no problem. */
export function fillTemplate(template: string, contentType: string, values: TemplateValues): string {
  const format = formatOf(contentType);
  if (format === "json") return JSON.stringify(fillJson(parseJson(template), values));
  return template.replace(NAME, (_, name: string) => escapeValue(values[name.trim() as TemplateName] ?? "", format));
}

/** Names stand in strings of the JSON. `{{data}}` alone in a string is replaced by the data itself. */
function fillJson(value: unknown, values: TemplateValues): unknown {
  if (typeof value === "string") {
    if (/^\{\{\s*data\s*\}\}$/.test(value)) return JSON.parse(values.data);
    return value.replace(NAME, (_, name: string) => values[name.trim() as TemplateName] ?? "");
  }
  if (Array.isArray(value)) return value.map((one) => fillJson(one, values));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fillJson(one, values)]));
}

function formatOf(contentType: string): Format {
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (/[/+]json$/.test(type)) return "json";
  if (type === "application/x-www-form-urlencoded") return "form";
  return /[/+](?:html|xml)$/.test(type) ? "markup" : "text";
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escapeValue(value: string, format: Format): string {
  const text = value.toWellFormed();
  if (format === "form") return encodeURIComponent(text);
  // Control characters are neither text nor markup.
  const clean = text.replace(/[^\t\n\r\u{20}-\u{7e}\u{a0}-\u{10ffff}]/gu, "");
  return format === "markup" ? clean.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "") : clean;
}

function isName(name: string): name is TemplateName {
  return (TEMPLATE_NAMES as readonly string[]).includes(name);
}

function parseJson(template: string): unknown {
  try {
    return JSON.parse(template) as unknown;
  } catch {
    return undefined;
  }
}
