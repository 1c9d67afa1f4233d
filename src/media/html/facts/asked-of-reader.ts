import type { Document } from "../../document.ts";

/** Finds what a page asks of its reader before it says more. Markup says it in every language. */

interface Asking {
  localName: string;
  getAttribute(name: string): string | null;
}

/** The elements that may ask. */
export const ASKING: ReadonlySet<string> = new Set(["input", "iframe", "script", "img"]);
/** The word is the same in the markup of all languages. Turnstile has a class, and an address, of its own. */
const HUMAN = /captcha|\bcf-turnstile\b|\/turnstile\//i;

/** Undefined for an element that asks for nothing. */
export function whatIsAsked(element: Asking): Document["asks"] {
  if (element.localName === "input" && element.getAttribute("type")?.trim().toLowerCase() === "password")
    return "password";
  const attributes = element.localName === "input" ? ["name", "id", "class"] : ["src", "class", "id"];
  return attributes.some((name) => HUMAN.test(element.getAttribute(name) ?? "")) ? "human" : undefined;
}
