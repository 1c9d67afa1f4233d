import type { Invocation } from "./invocation.ts";
import type { Surroundings } from "./network.ts";
import type { Waiting } from "./time.ts";
import type { Answer, Requested } from "./web.ts";

/**
 * Answers of servers whose bodies come piece by piece in virtual time, in place of the runtime's `fetch`: the code that
 * reads them is the real one. A transfer ends when all has come, when its reader cancels or aborts it, and with its
 * invocation.
 */

/** Names the flight of a request. One of the crawl's own headers, so no record holds it. */
const FLIGHT = "model-flight";

/** What a server sends, and how. */
export interface Sending {
  kind: Answer["kind"];
  status: number;
  type: string;
  /** Beside the type and the length. */
  headers?: Record<string, string>;
  body: Uint8Array<ArrayBuffer>;
  headersMs?: number;
  /** Pieces in which the body comes; 0 for a body that comes with the headers. */
  pieces: number;
  pieceMs: number;
  /** Whether the server declares the length. */
  hasLength: boolean;
  /** How the transfer ends: with the whole body, or in the middle, by an error or in silence. */
  end: "whole" | "breaks" | "hangs";
}

interface Flight {
  invocation: Invocation;
  url: string;
  /** By the request's Range header, or whatever that is. */
  sending: Sending | ((range: string | null) => Sending);
  visit: number | null;
  /** Gets what waits for virtual time, if the reader needs real time in between. */
  waiting?: Waiting;
}

const AT_ONCE: Waiting = (awaited) => awaited;

export class Transfers {
  readonly #around: Surroundings;
  readonly #requests: Requested[];
  readonly #flights = new Map<string, Flight>();
  #opened = 0;

  /** `requests`: where requests are recorded. */
  constructor(around: Surroundings, requests: Requested[]) {
    this.#around = around;
    this.#requests = requests;
  }

  /** Expects a request that has these headers. */
  open(flight: Flight) {
    this.#opened += 1;
    const id = String(this.#opened);
    this.#flights.set(id, flight);
    return { headers: { [FLIGHT]: id }, release: () => void this.#flights.delete(id) };
  }

  readonly fetch: typeof fetch = async (_, { headers, signal } = {}) => {
    const sent = new Headers(headers as HeadersInit);
    const flight = this.#flights.get(sent.get(FLIGHT) ?? "");
    if (flight === undefined || !signal) throw new Error("nobody expects this request");
    const range = sent.get("range");
    const sending = typeof flight.sending === "function" ? flight.sending(range) : flight.sending;
    return this.#answer({ ...flight, sending, range }, signal);
  };

  /** As the runtime: the request waits for one of its invocation's connections, until it has its headers. */
  async #answer(
    { invocation, url, sending, visit, range, waiting = AT_ONCE }: Flight & { sending: Sending; range: string | null },
    signal: AbortSignal,
  ): Promise<Response> {
    await waiting(invocation.alive());
    const { time } = this.#around;
    const { connections } = invocation;
    const aborted = new Promise<false>((resolve) => signal.addEventListener("abort", () => resolve(false)));
    const place = connections.take();
    const unless = <T>(work: Promise<T>) => Promise.race([work.then(() => true), aborted]);
    if (!(await waiting(unless(place)))) {
      void place.then(() => connections.release());
      throw abortion();
    }
    const request: Requested = {
      ...{ host: new URL(url).hostname, url, kind: sending.kind, forbids: false, visit, range },
      ...{ startedAt: time.now(), endedAt: Number.POSITIVE_INFINITY },
    };
    this.#requests.push(request);
    const end = () => {
      request.endedAt = Math.min(request.endedAt, time.now());
    };
    invocation.onKill(end);
    const hasHeaders = await waiting(unless(time.sleep(sending.headersMs ?? 10)));
    connections.release();
    if (!hasHeaders) {
      end();
      throw abortion();
    }
    const { status, type, hasLength, headers } = sending;
    const length: Record<string, string> = hasLength ? { "content-length": String(sending.body.byteLength) } : {};
    if (sending.pieces === 0) end();
    const body = sending.pieces === 0 ? sending.body : this.#bodyOf(invocation, sending, signal, end, waiting);
    return new Response(body, { status, headers: { "content-type": type, ...length, ...headers } });
  }

  #bodyOf(
    invocation: Invocation,
    sending: Sending,
    signal: AbortSignal,
    end: () => void,
    waiting: Waiting,
  ): ReadableStream<Uint8Array> {
    const { time } = this.#around;
    const { body: bytes, pieces, pieceMs } = sending;
    const last = sending.end === "whole" ? pieces : Math.floor(pieces / 2);
    const stopped = Promise.withResolvers<Error>();
    const stop = (error: Error) => {
      end();
      stopped.resolve(error);
    };
    signal.addEventListener("abort", () => stop(abortion()));
    invocation.onKill(() => stop(new Error("Network connection lost.")));
    let sent = 0;
    const source = {
      pull: async (controller: ReadableStreamDefaultController<Uint8Array> | ReadableByteStreamController) => {
        const isStuck = sent === last && sending.end === "hangs";
        const piece = isStuck ? new Promise<never>(() => undefined) : time.sleep(pieceMs);
        const error = await waiting(Promise.race([piece, stopped.promise]));
        if (error !== undefined) return controller.error(error);
        if (sent === last) {
          // Only a transfer that breaks comes here: a whole one is closed below.
          end();
          return controller.error(new Error("Network connection lost."));
        }
        const at = (piece: number) => Math.floor((bytes.byteLength * piece) / pieces);
        const part = bytes.slice(at(sent), at(sent + 1));
        sent += 1;
        if (part.byteLength > 0) controller.enqueue(part);
        if (sent < pieces) return;
        end();
        controller.close();
        // A reader that brings its buffer waits for it.
        if ("byobRequest" in controller) controller.byobRequest?.respond(0);
      },
      cancel: () => end(),
    };
    // The reader of ranges brings its buffers.
    return sending.kind === "media" ? new ReadableStream({ ...source, type: "bytes" }) : new ReadableStream(source);
  }
}

function abortion(): Error {
  return new DOMException("The operation was aborted", "AbortError");
}
