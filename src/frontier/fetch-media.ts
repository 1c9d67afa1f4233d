import type { PageResult } from "../crawl/outcome.ts";
import type { Secrets, Sending } from "../fetch/answer.ts";
import type { MediaProgress, MediaResult } from "../fetch/media-fetcher.ts";
import type { Deps } from "./deps.ts";
import { mediaRequestOf } from "./request-of-work.ts";
import type { PageWork } from "./work.ts";

/**
 * Describes a media file: asks for one range after the other, each at the host's pace. What the ranges have brought
 * stands in the memory of the batch, so a kill costs the ranges of this file alone.
 */

export interface MediaLane {
  /** Sends one request at the host's pace. Null if the lane is over. */
  atPace(fetching: () => Promise<{ result: MediaResult }>): Promise<{ result: MediaResult; now: number } | null>;
  /** How a request is sent that starts now. */
  sending(): Sending;
  /** Notes what an answer says of the host. */
  judgeHost(result: MediaResult): void;
  /** The file had all the time that a lane has: where that ends, it stands as far as it came, or it never would. */
  isFirst: boolean;
  /** Whether the host failed since. Then the file begins again in another lane. */
  hasFailed(): boolean;
  onDeath(error: unknown): PageResult;
}

const LANE_ENDED = "its host answers too slowly for more of it to be read";

/** Null if the lane was over before the first range, or the file begins again in another lane. */
export async function fetchMediaFile(
  work: PageWork,
  secrets: Secrets,
  { atPace, sending, judgeHost, isFirst, hasFailed, onDeath }: MediaLane,
  { fetchMedia, clock }: Pick<Deps, "fetchMedia" | "clock">,
): Promise<{ result: PageResult; now: number } | null> {
  const ask = async (known: MediaProgress | null, stopped: string | null): Promise<{ result: MediaResult }> => {
    const result: MediaResult = await fetchMedia(mediaRequestOf(work, known, stopped, sending()), secrets).catch(
      onDeath,
    );
    return { result };
  };
  for (let known: MediaProgress | null = null; ; ) {
    const before: MediaProgress | null = known;
    const fetched: { result: MediaResult; now: number } | null = await atPace(() => ask(before, null));
    if (fetched === null) {
      if (before === null || !isFirst || hasFailed()) return null;
      const { result } = await ask(before, LANE_ENDED);
      return result.kind === "range" ? null : { result, now: clock.now() };
    }
    const { result, now }: { result: MediaResult; now: number } = fetched;
    if (result.kind !== "range") return { result, now };
    judgeHost(result);
    known = result.progress;
  }
}
