/** What to write into a search form, as people type it: `input[name=q]=shoes,boots`. A comma in a value is `\,`. */

export interface FormFill {
  /** A CSS selector of the field, or of the form whose first text field it is. */
  selector: string;
  values: string[];
}

/** Null if there is no `=` after a selector. A `=` in brackets or quotes belongs to the selector. */
export function parseFormFill(written: string): FormFill | null {
  const at = endOfSelector(written);
  if (at < 1) return null;
  return { selector: written.slice(0, at).trim(), values: splitValues(written.slice(at + 1)) };
}

export function writeFormFill({ selector, values }: FormFill): string {
  return `${selector}=${values.map((value) => value.replace(/[\\,]/g, "\\$&")).join(",")}`;
}

function endOfSelector(written: string): number {
  let depth = 0;
  let quote = "";
  for (let at = 0; at < written.length; at++) {
    const char = written[at] as string;
    if (quote !== "") quote = char === quote ? "" : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === "[" || char === "(") depth += 1;
    else if (char === "]" || char === ")") depth -= 1;
    else if (char === "=" && depth === 0) return at;
  }
  return -1;
}

function splitValues(written: string): string[] {
  const values = [""];
  for (const [part] of written.matchAll(/\\[\s\S]|,|[^\\,]+|\\/g)) {
    if (part === ",") values.push("");
    else values[values.length - 1] += part.length === 2 && part[0] === "\\" ? part.slice(1) : part;
  }
  return values.map((value) => value.trim()).filter((value) => value !== "");
}
