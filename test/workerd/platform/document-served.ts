import { sha256Of } from "../../../src/archive/sha256.ts";

/** A heavy document as a server of the model sends it, and what the reader Worker does with it. */

export interface DocumentServed {
  /** Length of the whole body. */
  bytes: number;
  /** Pieces in which the body comes. */
  pieces: number;
  pieceMs: number;
  /** Whether the server declares the length. */
  hasLength: boolean;
  /** How the transfer ends: with the whole body, or in the middle, by an error or in silence. */
  end: "whole" | "breaks" | "hangs";
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

/** What a body begins with. */
export function beginningOf(url: string): string {
  return `%PDF-1.7\n${url}\n`;
}

export function digestOf(url: string, served: Pick<DocumentServed, "bytes">): string {
  return sha256Of(bodyOf(url, served));
}
