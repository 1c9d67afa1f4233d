/**
 * A page's Markdown as a file: what is known of the page stands before it as YAML, as site generators and readers of notes expect it.
 * https://jekyllrb.com/docs/front-matter/
 */

export interface FrontMatter {
  url: string;
  title: string | null;
  /** ISO 8601. */
  fetchedAt: string | null;
  /** Why there is no Markdown. */
  problem?: string | undefined;
}

/** What JSON leaves as it is, and YAML takes for a line's end or for no text at all: https://yaml.org/spec/1.2.2/#51-character-set */
const UNPRINTABLE = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** What is not known is left out. Ends in a line's end, and holds the Markdown as it is otherwise. */
export function withFrontMatter({ url, title, fetchedAt, problem }: FrontMatter, markdown: string): string {
  const lines = Object.entries({ url, title, fetchedAt, problem })
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}: ${toYaml(String(value))}\n`);
  const end = markdown === "" || markdown.endsWith("\n") ? "" : "\n";
  return `---\n${lines.join("")}---\n${markdown === "" ? "" : "\n"}${markdown}${end}`;
}

/** A JSON string is a YAML string, whatever a title holds: https://yaml.org/spec/1.2.2/#12-yaml-history */
function toYaml(text: string): string {
  return JSON.stringify(text).replace(UNPRINTABLE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
