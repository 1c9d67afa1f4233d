import { Parser } from "htmlparser2"; // the parser behind linkedom: it knows the character references

/** HTMLRewriter gives and takes attributes as they stand in the source; these lead from there to their values and back. */

export function decodeAttribute(source: string): string {
  if (!source.includes("&")) return source;
  let value = source;
  const parser = new Parser({
    onattribute(_, decoded) {
      value = decoded;
    },
  });
  parser.end(`<a b="${source.replaceAll('"', "&quot;")}">`);
  return value;
}

/** Good for XHTML too. Quotes are HTMLRewriter's own concern. */
export function encodeAttribute(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
