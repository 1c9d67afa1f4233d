const FORMULA = /^['=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * A cell of a CSV file, RFC 4180. Spreadsheets read some untrusted titles as formulas, so these get an apostrophe in
 * front (https://owasp.org/www-community/attacks/CSV_Injection). A text that starts with an apostrophe gets one too, so
 * that removing one always restores the text.
 */
export function toCell(value: string | number | boolean | null): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
