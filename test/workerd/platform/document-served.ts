import { sha256Of } from "../../../src/archive/sha256.ts";
import type { Sending } from "./transfers.ts";

/** A heavy document as a server of the model sends it, and what the reader Worker does with it. */

export interface DocumentServed extends Pick<Sending, "pieces" | "pieceMs" | "hasLength" | "end"> {
  /** Length of the whole body. */
  bytes: number;
  links: string[];
  text?: string;
  reading: {
    ms: number;
    /** How often the document ends its reader, in one invocation. */
    deaths: number;
    /** Readings that fail with an error before one succeeds. */
    failures: number;
  };
}

export const DOCUMENT_TYPE = "application/pdf";

/** The whole body of a document: its first lines name it. */
export function bodyOf(url: string, { bytes }: Pick<DocumentServed, "bytes">): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(bytes);
  new TextEncoder().encodeInto(beginningOf(url), body);
  return body;
}

/** How its server sends it. */
export function sendingOf(url: string, served: DocumentServed & { headersMs?: number }): Sending {
  return { ...served, kind: "document", status: 200, type: DOCUMENT_TYPE, body: bodyOf(url, served) };
}

/** What a body begins with. */
export function beginningOf(url: string): string {
  return `%PDF-1.7\n${url}\n`;
}

export function digestOf(url: string, served: Pick<DocumentServed, "bytes">): string {
  return sha256Of(bodyOf(url, served));
}
