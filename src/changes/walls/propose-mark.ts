import { type HtmlElement, parseHtml, TreeLimit } from "../../media/html/tree/linkedom.ts";
import { LOG_OUT } from "../../scope/action-words.ts";

/** Proposes how a page looks with a session: what members' pages have and those of strangers lack. */

/** Elements that are looked at. */
const MOST_ELEMENTS = 20_000;
const MAX_NAME = 60;
/** A name that somebody wrote. One with many digits is generated, and may be another one tomorrow. */
const WRITTEN = /^[a-z_][\w-]*$/i;
const GENERATED = /\d{3}|[0-9a-f]{8}/i;
/** Where sites show who is signed in. */
const MEMBER = /^(?:user|account|profile|avatar|member|my)(?:[-_]?(?:menu|name|nav|info|box|link|dropdown))?$/i;

/**
 * A CSS selector that matches an element of the page with the session, and none of the page without it: a log-out by
 * preference, or the name or picture of the member. Null if there is none. `without`: empty for no page at all.
 */
export function proposeMark(withSession: string, without: string): string | null {
  const strangers = new Set(elementsOf(without).flatMap(selectorsOf));
  const members = elementsOf(withSession);
  for (const isSign of [isLogOut, isMember])
    for (const element of members) {
      const selector = isSign(element) ? selectorsOf(element).find((each) => !strangers.has(each)) : undefined;
      if (selector !== undefined) return selector;
    }
  return null;
}

function elementsOf(html: string): readonly HtmlElement[] {
  if (html === "") return [];
  try {
    return parseHtml(html).all.slice(0, MOST_ELEMENTS);
  } catch (error) {
    if (error instanceof TreeLimit) return error.document.all.slice(0, MOST_ELEMENTS);
    throw error;
  }
}

function isLogOut(element: HtmlElement): boolean {
  if (!["a", "button", "form", "input"].includes(element.localName)) return false;
  const address = element.getAttribute("href") ?? element.getAttribute("action") ?? "";
  const [path = ""] = address.split(/[?#]/);
  const names = [path.split("/").findLast((segment) => segment !== "") ?? "", ...namesOf(element)];
  const text = element.localName === "form" ? "" : element.textContent.slice(0, 2 * MAX_NAME);
  return [...names, text, element.getAttribute("value") ?? ""].some((name) => LOG_OUT.has(bare(name)));
}

function isMember(element: HtmlElement): boolean {
  return namesOf(element).some((name) => MEMBER.test(name));
}

function namesOf(element: HtmlElement): string[] {
  const id = element.getAttribute("id");
  return [...(element.getAttribute("class") ?? "").split(/\s+/), ...(id === null ? [] : [id])].filter(
    (name) => name !== "",
  );
}

/** As the words of action-words.ts are written. */
function bare(name: string): string {
  return name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(/\.\w+$|[^\p{L}\p{N}]/gu, "");
}

/** Selectors of an element by itself, the best first. */
function selectorsOf(element: HtmlElement): string[] {
  const { localName } = element;
  const isWritten = (name: string) => WRITTEN.test(name) && !GENERATED.test(name) && name.length <= MAX_NAME;
  const classes = (element.getAttribute("class") ?? "").split(/\s+/).filter(isWritten);
  const id = element.getAttribute("id");
  const attributes = ["href", "action"].flatMap((name) => {
    const value = element.getAttribute(name);
    const isPlain = value !== null && /^[\w/.:-]+$/.test(value) && !GENERATED.test(value) && value.length <= MAX_NAME;
    return isPlain ? [`${localName}[${name}="${value}"]`] : [];
  });
  return [
    ...classes.map((name) => `${localName}.${name}`),
    ...(id !== null && isWritten(id) ? [`#${id}`] : []),
    ...attributes,
  ];
}
