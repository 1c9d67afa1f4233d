import { cutBlock, type Piece, pieceOf } from "./cut-block.ts";
import type { Block } from "./read-blocks.ts";

/** Joins the blocks of one section to chunks, in order. */

export interface Draft {
  /** They follow each other in the Markdown. */
  pieces: Piece[];
}

/** A block is cut to fill a chunk only if this share of it is still free. */
const LEAST_ROOM = 1 / 3;
/** A last chunk below this share gets blocks of the one before. */
const SMALL = 1 / 8;
/** A heading beyond this share is cut like text. */
const MAX_HEADING = 1 / 4;
const CAPTION = /^\*\*.*\*\*$/;
const PICTURE = /^!\[[^\n]*\)$/;
const COLON = /[:：]$/;

interface Open {
  pieces: Piece[];
  /** How many of the last pieces are headings, which go with what follows. */
  headings: number;
}

/** No draft is larger than `size` tokens, and none ends with a heading that something follows. */
export function packBlocks(markdown: string, blocks: readonly Block[], size: number): Draft[] {
  const drafts: Open[] = [];
  let open: Open = { pieces: [], headings: 0 };
  /** Begins a new chunk with what belongs to the next block, if `weight` tokens have room there as well. */
  const flush = (weight: number) => {
    const kept = open.pieces.length - open.headings - (introduces(open, weight) ? 1 : 0);
    const next = open.pieces.splice(kept);
    if (open.pieces.length > 0) drafts.push({ pieces: open.pieces, headings: 0 });
    open = { pieces: next, headings: next.length };
  };
  /** Whether the last block goes with the next one: a caption, a picture, or a line that ends with a colon. */
  const introduces = ({ pieces, headings }: Open, weight: number): boolean => {
    const [before, piece] = [pieces.at(-2), pieces.at(-1)];
    if (piece === undefined || before === undefined || headings > 0 || piece.weight > size * SMALL) return false;
    const text = textOf(piece);
    // The caption of a picture stands below it.
    const isOfPicture = CAPTION.test(text) && PICTURE.test(textOf(before));
    return (
      (CAPTION.test(text) || PICTURE.test(text) || COLON.test(text)) && !isOfPicture && piece.weight + weight <= size
    );
  };
  const textOf = ({ start, end }: Piece) => markdown.slice(start, end).trim();
  for (const block of blocks) {
    const piece = pieceOf(markdown, block);
    const isHeading = block.kind === "heading" && piece.weight <= size * MAX_HEADING;
    const tied = () => sumOf(open.pieces.slice(open.pieces.length - open.headings));
    if (sumOf(open.pieces) + piece.weight > size && tied() + piece.weight <= size) flush(piece.weight);
    if (sumOf(open.pieces) + piece.weight <= size) {
      open.pieces.push(piece);
      open.headings = isHeading ? open.headings + 1 : 0;
      continue;
    }
    if (size - sumOf(open.pieces) < size * LEAST_ROOM) flush(0);
    // Only headings are left, and they take all of the room.
    if (size - sumOf(open.pieces) < size * LEAST_ROOM) {
      open.headings = 0;
      flush(size);
    }
    for (const [i, cut] of cutBlock(markdown, block, size - sumOf(open.pieces), size).entries()) {
      if (i > 0) flush(size);
      open.pieces.push(cut);
      open.headings = 0;
    }
    if (open.pieces.at(-1)?.after !== "") flush(size);
  }
  if (open.pieces.length > 0) drafts.push(open);
  return balanceEnd(drafts, size);
}

/** Moves blocks from the last chunk but one to a small last chunk. It changes no other chunk. */
function balanceEnd(drafts: Draft[], size: number): Draft[] {
  const [before, last] = drafts.slice(-2);
  if (before === undefined || last === undefined || last.pieces[0]?.before !== "") return drafts;
  while (sumOf(last.pieces) < size * SMALL && before.pieces.length > 1) {
    const moved = before.pieces.at(-1);
    const isLess = sumOf(last.pieces) + (moved?.weight ?? 0) < sumOf(before.pieces);
    if (moved === undefined || moved.before !== "" || moved.after !== "" || !isLess) break;
    before.pieces.pop();
    last.pieces.unshift(moved);
  }
  return drafts;
}

function sumOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { weight }) => sum + weight, 0);
}
