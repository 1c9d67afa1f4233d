/**
 * A Markdown file with front matter: facts about the page as YAML, as site generators and note apps read it.
 * https://jekyllrb.com/docs/front-matter/
 */

interface FrontMatter {
  url: string;
  title: string | null;
  /** ISO 8601. */
  fetchedAt: string | null;
  /** Why the page has no Markdown. */
  problem?: string | undefined;
}

/**
 * Characters that JSON does not escape, but that YAML reads as line ends or forbids:
 * https://yaml.org/spec/1.2.2/#51-character-set
 */
const UNPRINTABLE = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Leaves out null and undefined fields. The result ends with a line feed; the Markdown is otherwise unchanged. */
export function withFrontMatter({ url, title, fetchedAt, problem }: FrontMatter, markdown: string): string {
  const lines = Object.entries({ url, title, fetchedAt, problem })
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}: ${toYaml(String(value))}\n`);
  const end = markdown === "" || markdown.endsWith("\n") ? "" : "\n";
  return `---\n${lines.join("")}---\n${markdown === "" ? "" : "\n"}${markdown}${end}`;
}

/** Any JSON string is a YAML string: https://yaml.org/spec/1.2.2/#12-yaml-history */
function toYaml(text: string): string {
  return JSON.stringify(text).replace(UNPRINTABLE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
