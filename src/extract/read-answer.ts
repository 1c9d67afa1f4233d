import { escapeKey } from "../core/formats/json-pointer.ts";
import type { Claim, Json } from "./extraction.ts";

/** Reads what a model wrote. */

interface ReadAnswer {
  values: Json;
  claims: Claim[];
}

/** Characters of an answer. A longer one is no list of values. */
const MAX_ANSWER = 200_000;
const MAX_CLAIMS = 2_000;
const MAX_WORDS = 1_000;
const MAX_DEPTH = 30;

/** Thoughts before the JSON, and a fence around it, are left out. A string says why nothing can be read. */
export function readAnswer(written: string): ReadAnswer | string {
  if (written.length > MAX_ANSWER) return `it has more than ${MAX_ANSWER.toLocaleString("en")} characters`;
  const parsed = parseObject(written);
  if (parsed === null) return "it is not one JSON object";
  if (!("values" in parsed)) return 'it has no "values"';
  if (depthOf(parsed.values) > MAX_DEPTH) return `it has more than ${MAX_DEPTH} levels`;
  return { values: parsed.values as Json, claims: claimsOf(parsed.evidence) };
}

function parseObject(written: string): Record<string, unknown> | null {
  const end = written.lastIndexOf("</think>");
  const text = (end === -1 ? written : written.slice(end + "</think>".length)).trim();
  const from = text.indexOf("{");
  const to = text.lastIndexOf("}");
  for (const candidate of [text, from === -1 ? "" : text.slice(from, to + 1)]) {
    try {
      const value: unknown = JSON.parse(candidate);
      if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    } catch {
      // The next candidate, or none.
    }
  }
  return null;
}

/** A list of claims, or an object of words by path, as some models write it. */
function claimsOf(evidence: unknown): Claim[] {
  const pairs: unknown[] = Array.isArray(evidence)
    ? evidence
    : typeof evidence === "object" && evidence !== null
      ? Object.entries(evidence).map(([path, words]) => ({ path, words }))
      : [];
  return pairs.slice(0, MAX_CLAIMS).flatMap((pair) => {
    const { path, words } = (pair ?? {}) as { path?: unknown; words?: unknown };
    if (typeof path !== "string" || typeof words !== "string" || words === "") return [];
    return [{ path: pointerOf(path), words: words.slice(0, MAX_WORDS) }];
  });
}

/** The JSON Pointer of a path as models write it: `/a/0/b`, `a.0.b`, `$.a[0].b`. */
function pointerOf(path: string): string {
  if (path === "" || path.startsWith("/")) return path.replace(/^\/values(?=\/|$)/, "");
  const keys = path
    .replace(/^\$\.?/, "")
    .replace(/\[(\d+)\]/g, ".$1")
    .split(".")
    .filter((key) => key !== "");
  return keys.map((key) => `/${escapeKey(key)}`).join("");
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
