import type { ClaimedDocument, SettledDocument } from "../../store/mirror/document-turns.ts";
import { documentKey } from "../../store/mirror/documents.ts";
import type { Hint } from "../batch/message.ts";
import type { TurnDeps } from "../needs.ts";
import { BEHIND_MS, decideNext, placesBehind } from "./reader-turns.ts";
import { DOCUMENT_READING_MS } from "./send-document.ts";

/** Takes the document whose turn it is at the reader, for as long as it is read. */

/** Others may take a document between the look and the claim. */
const MAX_LOOKS = 5;

/** What is taken; or when a document may be free that is held now, if its holder has died. Null if none is held. */
type Taken = { document: ClaimedDocument } | { document: null; heldUntil: number | null };

/** Removes what others have left, too. */
export async function takeDocument(deps: TurnDeps): Promise<Taken> {
  const { documentTurns, clock, boot, limits } = deps;
  for (let looks = 1; ; looks++) {
    const now = clock.now();
    const { settled, claimEndsAt, ...waiting } = await documentTurns.waiting(boot, hungSince(deps), now);
    for (const document of settled) await removeSettled(document, deps);
    const next = decideNext(waiting, limits.readers);
    if (next === null) return { document: null, heldUntil: claimEndsAt };
    const { isBehind } = next;
    const places = placesBehind(limits.readers);
    const claiming = { claim: crypto.randomUUID(), isBehind, placesBehind: places, until: now + leaseMs(deps) };
    const document = await documentTurns.claim(next, claiming, boot, now);
    if (document !== null) return { document };
    if (looks === MAX_LOOKS) throw new Error("others took each document that was free");
  }
}

/** The hint to work on the row of a document. */
export function hintOf({ crawl, epoch, url, visit, failures, askAlone }: ClaimedDocument): Hint {
  return { crawl, epoch, url, visit, failures, sitemap: false, ...(askAlone ? { askAlone } : {}) };
}

/** Notes that a document ended its reader. Its host goes behind. */
export async function noteDeath(document: ClaimedDocument, deps: TurnDeps): Promise<void> {
  await deps.documentTurns.noteDeath(document, hungSince(deps), deps.clock.now());
}

/** Its claim says until then that it is still to be removed. */
export async function removeSettled({ crawl, url, visit }: SettledDocument, deps: TurnDeps): Promise<void> {
  await deps.documents.remove(documentKey(crawl, url, visit));
  await deps.documentTurns.forget({ crawl, url, visit });
}

function hungSince({ clock }: TurnDeps): number {
  return clock.now() - BEHIND_MS * clock.speed;
}

/** Real time. No document is read for longer, so the claim is one of a consumer that died. */
function leaseMs({ clock }: TurnDeps): number {
  return DOCUMENT_READING_MS * clock.speed;
}
