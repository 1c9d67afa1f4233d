/** Decides which lines of a template stay on a page because of the lines beside them. */

/** A longer line is no label. In characters. */
const MAX_LABEL = 60;

/** A line with letters or digits. */
export interface SaidLine {
  /** Its key; null if it is no line that could be left out. */
  key: string | null;
  isTemplate: boolean;
  isHeading: boolean;
}

/**
 * Whether each line stays: all that are no template; labels, which stand above values in turn ("Colour", "black",
 * "Weight", "one kilogram"); headings directly above a line that stays.
 */
export function decideKept(lines: readonly SaidLine[]): boolean[] {
  const stays = lines.map(({ isTemplate }, at) => !isTemplate || isLabel(lines, at));
  for (let at = lines.length - 2; at >= 0; at--)
    if (!stays[at] && stays[at + 1] && lines[at]?.isHeading) stays[at] = true;
  return stays;
}

/** "Read more" below each teaser is always the same, so it is no label. */
function isLabel(lines: readonly SaidLine[], at: number): boolean {
  const { key } = lines[at] ?? {};
  if (key == null || key.length > MAX_LABEL || !isValue(lines[at + 1])) return false;
  const isOther = (other: SaidLine | undefined) => other?.isTemplate === true && other.key !== key;
  return (isOther(lines[at + 2]) && isValue(lines[at + 3])) || (isOther(lines[at - 2]) && isValue(lines[at - 1]));
}

function isValue(line: SaidLine | undefined): boolean {
  return line?.isTemplate === false;
}
