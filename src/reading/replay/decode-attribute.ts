import { Parser } from "htmlparser2"; // the parser behind linkedom; it decodes character references

/** HTMLRewriter reads and writes attributes as in the source. These functions decode and encode their values. */

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

/** Valid in XHTML too. HTMLRewriter escapes quotes itself. */
export function encodeAttribute(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
