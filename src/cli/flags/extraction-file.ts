import { UserError } from "../errors.ts";
import { parseJson, readText } from "./fields-file.ts";

/** The file of `--extract`: a JSON Schema, a prompt, or an object with both. */

/** What a model is asked, as the API takes and checks it. */
export interface RequestedExtraction {
  schema?: unknown;
  prompt?: unknown;
  evidence?: unknown;
}

const KEYS = ["schema", "prompt", "evidence"];

export const EXTRACT_HELP =
  "a JSON Schema, words for the model in a text file, or JSON with `schema`, `prompt` and `evidence`; docs/extract.md";

/** A file that begins with a brace is JSON; any other is a prompt. Throws UserError. */
export function readExtractionFile(flag: string, file: string): RequestedExtraction {
  const text = readText(flag, file);
  if (text.trim() === "") throw new UserError(`${flag} ${file} is empty. It is ${EXTRACT_HELP}.`, 2);
  if (!text.trimStart().startsWith("{")) return { prompt: text.trim() };
  const parsed = parseJson(flag, text, file) as Record<string, unknown>;
  const keys = Object.keys(parsed);
  const isBoth = keys.some((key) => key === "schema" || key === "prompt") && keys.every((key) => KEYS.includes(key));
  return isBoth ? parsed : { schema: parsed };
}
