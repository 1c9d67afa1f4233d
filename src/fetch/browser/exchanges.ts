import type { Truncated } from "../../archive/warc-record.ts";
import type { CapturedResource } from "../../crawl/page/outcome.ts";
import { type AnswerHead, type CaptureRequest, captureAnswer } from "../answer/capture-page.ts";

/** Keeps what a rendered page asked for and got, until the page is drawn, to make records of it for the archive. */

/** Bodies that are kept for one page, in bytes, decompressed: its records go to the batch in one answer of 32 MiB. */
export const MAX_KEPT_BYTES = 8 * 1024 * 1024;

/** A request and its answer. */
export interface Exchange extends AnswerHead {
  url: string;
  status: number;
  payload: Uint8Array;
  /** Why `payload` is incomplete; absent if it is complete. */
  truncated?: Truncated;
  /** Of `payload`. */
  sha256: string;
  durationMs: number;
}

/** Names an answer: the archive has one record of each. */
export type ExchangeName = Pick<Exchange, "url" | "sha256">;

export class Exchanges {
  /** By URL and digest. */
  readonly #held = new Map<string, Exchange>();
  #bytes = 0;
  /** Answers that did not fit. */
  unkept = 0;

  /** `isCached`: the cache holds the body in any case, so it takes no memory here. */
  add(exchange: Exchange, isCached = false): void {
    const key = nameOf(exchange);
    if (this.#held.has(key)) return;
    const bytes = isCached ? 0 : exchange.payload.byteLength;
    if (this.#bytes + bytes > MAX_KEPT_BYTES) this.unkept += 1;
    else this.#held.set(key, exchange);
    this.#bytes += this.#held.has(key) ? bytes : 0;
  }

  /** Makes the records of answers that the archive lacks, as far as they fit. */
  async toRecords(
    lacking: (names: ExchangeName[]) => Promise<ExchangeName[]>,
    pageUrl: string,
    { warcinfoId, hops }: CaptureRequest,
  ): Promise<CapturedResource[]> {
    if (this.#held.size === 0) return [];
    const wanted = await lacking([...this.#held.values()].map(({ url, sha256 }) => ({ url, sha256 })));
    const fitting = this.#fitting(wanted.flatMap((name) => this.#held.get(nameOf(name)) ?? []));
    // A letter for each hop: the page embeds what it asks for.
    const request = { warcinfoId, via: pageUrl, hops: `${hops}E` };
    return fitting.flatMap((exchange) => {
      const { url, sha256 } = exchange;
      const { answer } = captureAnswer(url, exchange, request);
      return answer === null ? [] : [{ ...answer, url, sha256 }];
    });
  }

  #fitting(exchanges: Exchange[]): Exchange[] {
    let room = MAX_KEPT_BYTES;
    const fitting = exchanges.filter(({ payload }) => {
      const fits = payload.byteLength <= room;
      if (fits) room -= payload.byteLength;
      return fits;
    });
    this.unkept += exchanges.length - fitting.length;
    return fitting;
  }
}

function nameOf({ url, sha256 }: ExchangeName): string {
  return `${sha256} ${url}`;
}
