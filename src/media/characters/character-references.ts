import { Parser } from "htmlparser2"; // the parser behind linkedom; it decodes character references

const REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi;

/** Decodes the character references of HTML that end with a semicolon, as in Markdown, once. */
export function decodeReferences(text: string): string {
  return text.includes("&") ? text.replace(REFERENCE, decodeReference) : text;
}

function decodeReference(reference: string): string {
  let decoded = reference;
  const parser = new Parser({
    onattribute(_, value) {
      decoded = value;
    },
  });
  parser.end(`<a b="${reference}">`);
  return decoded;
}
