/** Cuts a long text into parts. Their offsets depend on the text alone, so a part can be asked for again. */

export interface TextPart {
  text: string;
  /** Where the next part begins, in characters; null: this is the last one. */
  next: number | null;
}

/** The share of a part that may be given up to end it at a better place. */
const SLACK = 0.25;

/**
 * The part from `offset` on, of at most `most` characters. It ends at a blank line, a line end or a space, the best
 * that is near, and never inside a character.
 */
export function cutText(text: string, offset: number, most: number): TextPart {
  const start = splitsPair(text, offset) ? offset - 1 : offset;
  if (text.length - start <= most) return { text: text.slice(start), next: null };
  const end = endOf(text, start, start + most);
  return { text: text.slice(start, end), next: end };
}

function endOf(text: string, start: number, limit: number): number {
  const least = start + Math.ceil((limit - start) * (1 - SLACK));
  for (const separator of ["\n\n", "\n", " "]) {
    const at = text.lastIndexOf(separator, limit - separator.length);
    if (at !== -1 && at + separator.length >= least) return at + separator.length;
  }
  // A part has at least one character, also where that is a pair.
  if (!splitsPair(text, limit)) return limit;
  return limit - 1 > start ? limit - 1 : limit + 1;
}

/** Whether a cut here would separate the two halves of a character beyond U+FFFF. */
function splitsPair(text: string, at: number): boolean {
  return (
    at > 0 && at < text.length && /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at))
  );
}
