/** What a model sees of a page: its title, and its main content as Markdown. */

export interface PageText {
  url: string;
  title: string | null;
  /** Whole lines of the Markdown, from its beginning. */
  text: string;
  /** Null if that is all of it. */
  cut: { sent: number; of: number } | null;
}

/** Characters of a page that a model sees, unless the installation says otherwise: some 12,000 tokens. */
export const DEFAULT_CHARACTERS = 40_000;
const MAX_TITLE = 500;

/** A long page is cut after the last whole line within `most` characters, or after `most` if a line is longer. */
export function pageTextOf(url: string, title: string | null, markdown: string, most: number): PageText {
  const head = title === null ? null : title.slice(0, MAX_TITLE);
  if (markdown.length <= most) return { url, title: head, text: markdown, cut: null };
  const end = markdown.lastIndexOf("\n", most);
  const text = markdown.slice(0, end <= 0 ? most : end);
  return { url, title: head, text, cut: { sent: text.length, of: markdown.length } };
}
