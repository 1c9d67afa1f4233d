import { readFileSync } from "node:fs";
import { UserError } from "../errors.ts";

/** The file of `--fields`: rules as JSON. What the API says of a rule is told with the line of the file. */

/** The rules as the API takes them, which checks them, and where they stand. */
interface FieldsFile {
  groups: unknown[];
  /** Rethrows a refusal of the rules with their lines in place of their paths in the request. */
  explain(error: unknown): never;
}

/** One object of fields is a group for all pages; a list has several groups. Throws UserError. */
export function readFieldsFile(file: string): FieldsFile {
  const text = readText("--fields", file);
  const parsed = parseJson("--fields", text, file);
  if (typeof parsed !== "object" || parsed === null)
    throw new UserError(
      `--fields ${file} has no rules. It is an object of fields by name, such as {"price": {"selector": ".price", "as": "number"}}, or a list of groups: docs/fields.md.`,
      2,
    );
  const isList = Array.isArray(parsed);
  const groups: unknown[] = isList ? parsed : [{ fields: parsed }];
  return {
    groups,
    explain: (error) => {
      if (!(error instanceof UserError)) throw error;
      const message = error.message.replace(
        /(^|; )(?:crawl\.)?fields((?:\.[^\s:]+)*): /g,
        (_, before: string, path: string) => {
          const keys = path.split(".").slice(isList ? 1 : 3);
          const named = keys.length === 0 ? "" : ` ${keys.join(".")}:`;
          return `${before}--fields ${file}:${lineOf(text, keys)}:${named} `;
        },
      );
      throw new UserError(message, error.exitCode);
    },
  };
}

/** The same for a request that is made of flags. A file that was changed meanwhile gives other lines. */
export function explainFields(file: string | undefined): (error: unknown) => never {
  return (error) => {
    if (file === undefined) throw error;
    return readFieldsFile(file).explain(error);
  };
}

/** `flag`: the one that names the file. Throws UserError. */
export function readText(flag: string, file: string): string {
  try {
    return readFileSync(file, "utf8").replace(/^\ufeff/, "");
  } catch (error) {
    throw new UserError(`${flag} cannot read ${file}: ${(error as Error).message}`, 2);
  }
}

/** `flag`: the one that names the file. Throws UserError with the place of the mistake. */
export function parseJson(flag: string, text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    const at = Number(/position (\d+)/.exec(message)?.[1] ?? (/end of JSON/.test(message) ? text.length : 0));
    const before = text.slice(0, at).split("\n");
    const column = (before.at(-1)?.length ?? 0) + 1;
    throw new UserError(
      `${flag} ${file}:${before.length}:${column}: it is not JSON: ${message.replace(/ in JSON at.*$/s, "")}.`,
      2,
    );
  }
}

/** The line of the value to which the keys lead, from 1 on; of the last one that is there if some are not. */
export function lineOf(text: string, keys: readonly string[]): number {
  let at = 0;
  for (const key of keys) {
    const found = findValue(text, at, key);
    if (found === -1) break;
    at = found;
  }
  return text.slice(0, at).split("\n").length;
}

/** The place of the value with this key or index in the object or list that begins at or after `from`; -1 if none. */
function findValue(text: string, from: number, key: string): number {
  const token = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g;
  token.lastIndex = from;
  let depth = 0;
  let index = 0;
  let last = "";
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [part] = match;
    const isInList = depth === 1 && text[skipSpace(text, from)] === "[";
    if (isInList && last !== ":" && part !== "," && part !== "]" && String(index) === key) return match.index;
    if (depth === 1 && !isInList && last === key && part === ":") return skipSpace(text, match.index + 1);
    if (part === "{" || part === "[") depth += 1;
    else if (part === "}" || part === "]") depth -= 1;
    else if (part === "," && depth === 1) index += 1;
    if (depth === 0) return -1;
    last = part.startsWith('"') ? (JSON.parse(part) as string) : "";
  }
  return -1;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (/\s/.test(text[at] ?? "x")) at += 1;
  return at;
}
