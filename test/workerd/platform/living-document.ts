import type { DocumentServed } from "./document-served.ts";
import type { Random } from "./random.ts";

/** How the server of a living site sends a document, and how it is read: drawn anew for each text. */

export type DocumentDrawn = Pick<DocumentServed, "bytes" | "pieces" | "pieceMs" | "hasLength" | "end" | "reading">;

/** `isPoison`: it ends every reader. */
export function drawLivingDocument(random: Random, isPoison: boolean): DocumentDrawn {
  return {
    // A body of unknown length that is longer than `FREE_BODY_BYTES` takes a share of the budget.
    bytes: random.oneOf([300, 300, 20_000, 550_000]),
    pieces: random.oneOf([1, 3]),
    pieceMs: random.oneOf([1, 50, 2_000]),
    hasLength: random.chance(0.5),
    // At its first requests alone.
    end: random.oneOf(["whole", "whole", "whole", "breaks", "hangs"]),
    reading: {
      ms: random.oneOf([50, 1_000, 90_000]),
      deaths: isPoison ? 2 : random.oneOf([0, 0, 0, 1]),
      failures: random.oneOf([0, 0, 0, 1, 2]),
    },
  };
}
