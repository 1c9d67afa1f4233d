/** Gives the content of a page what the reader has left out of it. */

/** Lines between two blocks of the content. More are a part of the page by itself, such as an advertisement. */
const MAX_GAP = 2;

/**
 * Returns the blocks with the lines that stand in small gaps between them: the reader leaves out a price between a name
 * and a description, because it is short. `pageText`: the text of the whole page.
 */
export function fillGaps(blocks: readonly string[], pageText: string): readonly string[] {
  const lines = pageText.split("\n").filter((line) => line.trim() !== "");
  const placesOf = Map.groupBy(lines.keys(), (at) => (lines[at] ?? "").trim());
  const filled: string[] = [];
  let below: number | null = null;
  let last = lines.length;
  // From the end, because a name may stand in the page's menu before it is its heading.
  for (const block of blocks.toReversed()) {
    const places = placesOf.get(block.trim()) ?? [];
    while ((places.at(-1) ?? -1) >= last) places.pop();
    const place = places.pop() ?? null;
    if (place !== null && below !== null && below - place - 1 <= MAX_GAP)
      filled.push(...lines.slice(place + 1, below).reverse());
    filled.push(block);
    // Where the page writes a block otherwise, nothing is known of the gaps beside it.
    below = place;
    last = place ?? last;
  }
  return filled.reverse();
}
