import { sha256Of } from "../../../src/archive/sha256.ts";
import type { Sending } from "./transfers.ts";

/** A heavy document as a server of the model sends it, and what the reader Worker does with it. */

export interface DocumentServed extends Pick<Sending, "pieces" | "pieceMs" | "hasLength" | "end"> {
  /** Length of the whole body. */
  bytes: number;
  links: string[];
  text?: string;
  /** What makes other bytes of the same text. */
  noise?: string;
  reading: {
    ms: number;
    /** How often the document ends its reader: never, once, or, if it is more, always. */
    deaths: number;
    /** Readings that fail with an error before one succeeds. */
    failures: number;
  };
}

export const DOCUMENT_TYPE = "application/pdf";
const PDF = "%PDF-1.7";

/** The whole body of a document: its first lines name it, and hold what it says. */
export function bodyOf(
  url: string,
  { bytes, text = "", noise = "" }: Pick<DocumentServed, "bytes" | "text" | "noise">,
): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(bytes);
  new TextEncoder().encodeInto(`${beginningOf(url)}${text}\n${noise}\n`, body);
  return body;
}

/** Bytes that hold the first lines of every body. */
const FIRST_LINES = 300;

/** What a body says: of a document the line after its URL, of others the first line. */
export function textIn(body: Uint8Array): string {
  const lines = new TextDecoder().decode(body.subarray(0, FIRST_LINES)).split("\n");
  return lines[lines[0] === PDF ? 2 : 0] ?? "";
}

/** How its server sends it. */
export function sendingOf(url: string, served: DocumentServed & { headersMs?: number }): Sending {
  return { ...served, kind: "document", status: 200, type: DOCUMENT_TYPE, body: bodyOf(url, served) };
}

/** What a body begins with. */
export function beginningOf(url: string): string {
  return `${PDF}\n${url}\n`;
}

export function digestOf(url: string, served: Pick<DocumentServed, "bytes" | "text" | "noise">): string {
  return sha256Of(bodyOf(url, served));
}
