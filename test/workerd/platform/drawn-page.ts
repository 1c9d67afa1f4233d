import type { Sending } from "./transfers.ts";

/** A page whose scripts make what it shows, or that shows its text without them: as a server of the model sends it. */

export interface PageDrawn {
  /** Whether the server sends hardly more than scripts. */
  isShell: boolean;
  /** Whether a browser makes text of these. */
  hasGain: boolean;
  /** URLs for which its scripts ask, one after the other. */
  needs: string[];
  /** How long its scripts run beside that. */
  scriptMs: number;
}

/** What the real fetcher and the browser need of an answer. */
export interface DrawablePage {
  links: string[];
  assets?: string[];
  text?: string;
  headersMs?: number;
  bodyMs?: number;
  drawn?: PageDrawn;
}

/** Shorter ones count as no script that draws (media/html/rendering/shell-signs.ts). */
const SCRIPT = 'for (const part of parts) document.getElementById("root").append(draw(part));'.repeat(2);

/** What a body begins with. */
export function htmlBeginningOf(url: string): string {
  return `<!doctype html><title>${url}</title>`;
}

/** The page as its server sends it, or as a browser draws it. */
export function htmlOf(url: string, { links, assets = [], text = "", drawn }: DrawablePage, isDrawn: boolean): string {
  const words = `${text} ${"It says what it says about this. ".repeat(15)}`;
  const hasText = drawn?.isShell !== true || (isDrawn && drawn.hasGain);
  const script = drawn?.isShell === true ? `<script>${SCRIPT}</script>` : "";
  const requisites = assets.map((asset) =>
    asset.endsWith("?css") ? `<link rel="stylesheet" href="${asset}">` : `<img src="${asset}">`,
  );
  const ways = links.map((link) => `<p><a href="${link}">${link}</a></p>`);
  const root = `<div id="root">${hasText ? `<p>${words}</p>` : ""}</div>`;
  return [htmlBeginningOf(url), ...requisites, root, ...ways, script].join("");
}

export function htmlSendingOf(url: string, page: DrawablePage): Sending {
  const { headersMs = 10, bodyMs = 5 } = page;
  const body = toBytes(htmlOf(url, page, false));
  return { kind: "page", status: 200, type: "text/html; charset=utf-8", body, ...atOnce(headersMs + bodyMs) };
}

export function scriptSendingOf({
  isBusy,
  headersMs = 10,
  bodyMs = 5,
}: {
  isBusy: boolean;
  headersMs?: number;
  bodyMs?: number;
}): Sending {
  const body = toBytes("{}");
  return { kind: "script", status: isBusy ? 503 : 200, type: "application/json", body, ...atOnce(headersMs + bodyMs) };
}

/** An image of a page that no reader understands: its type alone says what it is. */
export function pictureSendingOf(
  url: string,
  { type = "", headersMs = 10, bodyMs = 5 }: { type?: string; headersMs?: number; bodyMs?: number },
): Sending {
  return { kind: "page", status: 200, type, body: toBytes(url), ...atOnce(headersMs + bodyMs) };
}

function atOnce(headersMs: number) {
  return { headersMs, pieces: 0, pieceMs: 0, hasLength: true, end: "whole" } as const;
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}
