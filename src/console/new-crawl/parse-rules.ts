/** The rules of fields as JSON in a form. */

/** Fields by name, or a list of groups. */
export type Rules = Record<string, unknown> | unknown[];

/** An empty text has no rules. */
export function parseRules(text: string): { rules: Rules } | { problem: string } {
  if (text.trim() === "") return { rules: {} };
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null) return { rules: parsed as Rules };
  } catch (error) {
    return { problem: `This is not JSON: ${(error as Error).message}.` };
  }
  return { problem: 'Write fields by name: {"price": {"selector": ".price", "as": "number"}}.' };
}
