/**
 * Transforms a long text piece by piece. `replace` and `split` hold something for each match in the text at the same
 * time: 9 MB of `<` take 450 MB that way, and a few times their length in pieces.
 */

const PIECE = 65_536;
const SPACE = /\s+/g;
/** Most texts have nothing else to collapse, and are not copied then. */
const UNTIDY = /[^\S ]| {2}/;

/**
 * Transforms pieces of some 64,000 characters, and joins the results. A piece ends after a line end if it has one, and
 * never within a character or between CR and LF; so `transform` must not look beyond a line, except where one line is
 * longer than a piece.
 */
export function inPieces(text: string, transform: (piece: string) => string): string {
  if (text.length <= PIECE) return transform(text);
  const results: string[] = [];
  for (let at = 0; at < text.length; ) {
    const piece = pieceAt(text, at);
    results.push(transform(piece));
    at += piece.length;
  }
  return results.join("");
}

/** Turns each run of white space into one space. */
export function collapseSpace(text: string): string {
  if (!UNTIDY.test(text)) return text;
  if (text.length <= PIECE) return text.replace(SPACE, " ");
  let endsInSpace = false;
  return inPieces(text, (piece) => {
    const collapsed = piece.replace(SPACE, " ");
    const joined = endsInSpace && collapsed.startsWith(" ") ? collapsed.slice(1) : collapsed;
    if (collapsed !== "") endsInSpace = collapsed.endsWith(" ");
    return joined;
  });
}

function pieceAt(text: string, at: number): string {
  const piece = text.slice(at, at + PIECE);
  if (at + PIECE >= text.length) return piece;
  const lines = piece.lastIndexOf("\n") + 1;
  if (lines > 0) return piece.slice(0, lines);
  const last = piece.charCodeAt(PIECE - 1);
  const isHalf = last === 13 || (last >= 0xd800 && last <= 0xdbff);
  return isHalf ? text.slice(at, at + PIECE + 1) : piece;
}
