/**
 * A second implementation of RFC 9309, simple and slow, which shares no code with the first. The property tests compare
 * the two.
 */

export interface ReferenceRule {
  allow: boolean;
  /** As written in the file. */
  path: string;
}

const UNRESERVED = new Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~");
const RESERVED = new Set(":/?#[]@!$&'()*+,;=");
const PLAIN_IN_QUERY = new Set(":/?@[]'");

/** One octet of the encoded form. Wildcard and anchor are separate tokens. */
type Token = string;
const WILDCARD = "any";
const ANCHOR = "end";

function tokenize(text: string, isPattern: boolean, plainQuery: boolean): Token[] {
  const tokens: Token[] = [];
  const characters = [...text.toWellFormed()];
  let inQuery = false;
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? "";
    const hex = `${characters[at + 1] ?? ""}${characters[at + 2] ?? ""}`;
    if (isPattern && character === "*") {
      tokens.push(WILDCARD);
    } else if (isPattern && character === "$" && at === characters.length - 1) {
      tokens.push(ANCHOR);
    } else if (character === "%" && /^[0-9a-f]{2}$/i.test(hex)) {
      const decoded = String.fromCharCode(Number.parseInt(hex, 16));
      const isDecoded = UNRESERVED.has(decoded) || (plainQuery && inQuery && PLAIN_IN_QUERY.has(decoded));
      tokens.push(...(isDecoded ? decoded : `%${hex.toUpperCase()}`));
      at += 2;
    } else if (
      (UNRESERVED.has(character) || RESERVED.has(character) || character === "%") &&
      !"*$".includes(character)
    ) {
      tokens.push(character);
      inQuery ||= character === "?";
    } else {
      for (const octet of new TextEncoder().encode(character)) {
        tokens.push(...`%${octet.toString(16).toUpperCase().padStart(2, "0")}`);
      }
    }
  }
  return tokens;
}

/** `reachable[p]` says whether the first p tokens of the pattern can match the path read so far. */
function matches(pattern: Token[], path: Token[]): boolean {
  const anchored = pattern.at(-1) === ANCHOR;
  // Without an anchor anything may follow.
  const tokens = anchored ? pattern.slice(0, -1) : [...pattern, WILDCARD];
  let reachable = tokens.map(() => false);
  const close = (row: boolean[]): boolean[] => {
    tokens.forEach((token, at) => {
      if (row[at] === true && token === WILDCARD) row[at + 1] = true;
    });
    return row;
  };
  reachable.push(false);
  reachable[0] = true;
  reachable = close(reachable);
  for (const octet of path) {
    const next = reachable.map(() => false);
    tokens.forEach((token, at) => {
      if (reachable[at] !== true) return;
      if (token === WILDCARD) next[at] = true;
      else if (token === octet) next[at + 1] = true;
    });
    reachable = close(next);
  }
  return reachable[tokens.length] === true;
}

/** `path` is path and query as `new URL` writes them. */
export function isAllowedByReference(rules: readonly ReferenceRule[], path: string): boolean {
  if (tokenize(path, false, false).join("") === "/robots.txt") return true;
  let longest = -1;
  let allowed = true;
  for (const rule of rules) {
    if (rule.path === "") continue;
    const written = tokenize(rule.path, true, false);
    const patterns = [written, tokenize(rule.path, true, true)];
    const paths = [tokenize(path, false, false), tokenize(path, false, true)];
    if (!patterns.some((pattern) => paths.some((spelling) => matches(pattern, spelling)))) continue;
    const length = written.length;
    if (length > longest || (length === longest && rule.allow)) {
      longest = length;
      allowed = rule.allow;
    }
  }
  return allowed;
}
