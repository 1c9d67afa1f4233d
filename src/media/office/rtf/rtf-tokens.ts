import { DocumentProblem } from "../../document-problem.ts";

/**
 * Reads the tokens of RTF 1.9.1: groups, control words, bytes of text.
 * https://www.loc.gov/preservation/digital/formats/fdd/fdd000473.shtml
 */

export interface RtfHandler {
  startGroup(): void;
  endGroup(): void;
  /** `parameter`: null if there is none. */
  control(word: string, parameter: number | null): void;
  /** A control of one character: `*`, `~`, `-`, `_`. */
  symbol(character: string): void;
  /** A byte of text, in the encoding of the font. */
  byte(byte: number): void;
  readonly isDone: boolean;
}

const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const MINUS = 0x2d;
const MAX_DEPTH = 1_000;
const MAX_WORD = 32;

/** Throws DocumentProblem for groups nested too deep. Returns whether the last group was closed. */
export function readRtfTokens(bytes: Uint8Array, handler: RtfHandler): boolean {
  let depth = 0;
  let at = 0;
  while (at < bytes.length && !handler.isDone) {
    const byte = bytes[at] as number;
    at += 1;
    if (byte === OPEN) {
      depth += 1;
      if (depth > MAX_DEPTH) throw new DocumentProblem("too-complex", `nested deeper than ${MAX_DEPTH} groups`);
      handler.startGroup();
    } else if (byte === CLOSE) {
      depth -= 1;
      handler.endGroup();
      if (depth <= 0) return true;
    } else if (byte === BACKSLASH) at = readControl(bytes, at, handler);
    else if (byte !== 0x0d && byte !== 0x0a && byte !== 0) handler.byte(byte);
  }
  return handler.isDone;
}

/** Returns where the text after the control begins. */
function readControl(bytes: Uint8Array, start: number, handler: RtfHandler): number {
  const first = bytes[start];
  if (first === undefined) return start;
  if (first === 0x27) {
    const code = Number.parseInt(String.fromCharCode(bytes[start + 1] ?? 0, bytes[start + 2] ?? 0), 16);
    if (!Number.isNaN(code)) handler.byte(code);
    return start + 3;
  }
  if (first === BACKSLASH || first === OPEN || first === CLOSE) {
    handler.byte(first);
    return start + 1;
  }
  // A line end after a backslash ends a paragraph.
  if (first === 0x0d || first === 0x0a) {
    handler.control("par", null);
    return start + 1;
  }
  if (!isLetter(first)) {
    handler.symbol(String.fromCharCode(first));
    return start + 1;
  }
  let at = start;
  while (isLetter(bytes[at])) at += 1;
  const word = String.fromCharCode(...bytes.subarray(start, Math.min(at, start + MAX_WORD)));
  const isNegative = bytes[at] === MINUS && isDigit(bytes[at + 1]);
  if (isNegative) at += 1;
  let parameter: number | null = null;
  for (; isDigit(bytes[at]); at++) parameter = Math.min((parameter ?? 0) * 10 + (bytes[at] as number) - 0x30, 2 ** 40);
  if (bytes[at] === 0x20) at += 1;
  // Bytes of a picture or an object, whatever they look like.
  if (word === "bin") return at + (isNegative ? 0 : (parameter ?? 0));
  handler.control(word, parameter === null || !isNegative ? parameter : -parameter);
  return at;
}

function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && ((byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a));
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}
