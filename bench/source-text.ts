import { Parser } from "htmlparser2"; // the parser below linkedom; its events are all that this needs

/**
 * The main text of a page by its source: what the elements that its site keeps for it hold. It knows nothing of how the
 * crawler finds content or compares blocks, so it can judge both.
 */

/** Element names, `.class` and `#id`. An element that matches one of a list matches the list. */
export type Selectors = readonly string[];

const UNSEEN = new Set(["script", "style", "template", "noscript", "svg", "head", "button", "select", "textarea"]);
/** Between two of these there is a space, whether the source has one or not. */
const BLOCKS = new Set(
  (
    "address article aside blockquote br caption dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 " +
    "h4 h5 h6 header hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);

/**
 * Returns the title without the site's name, and the text in the elements that match `main`, without those that match
 * `skip`. It is what people see: control characters are left out, quotation marks, dashes and ellipses have one form
 * each, and white space counts between two words alone. Empty if no element matches `main`.
 */
export function sourceText(html: string, main: Selectors, skip: Selectors): string {
  let title = "";
  let text = "";
  const open: { isMain: boolean; isSkipped: boolean; isTitle: boolean }[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      const above = open.at(-1) ?? { isMain: false, isSkipped: false, isTitle: false };
      const isSkipped = above.isSkipped || UNSEEN.has(name) || matches(name, attributes, skip);
      const isTitle = name === "title" && !open.some(({ isMain }) => isMain) && title === "";
      open.push({ isMain: above.isMain || matches(name, attributes, main), isSkipped, isTitle });
      if (BLOCKS.has(name)) text += " ";
    },
    ontext(data) {
      const { isMain, isSkipped, isTitle } = open.at(-1) ?? {};
      if (isTitle) title += data;
      else if (isMain && !isSkipped) text += data;
    },
    onclosetag(name) {
      open.pop();
      if (BLOCKS.has(name)) text += " ";
    },
  });
  parser.end(html);
  return text.trim() === "" ? "" : seen(`${ownPart(title)} ${text}`);
}

/** Without the name of the site, which stands last: "Install - The Manual 2.1". */
function ownPart(title: string): string {
  return title.replace(/\s[-–—|·»]\s(?:(?!\s[-–—|·»]\s).)*$/su, "");
}

/** A text as people see it. Whether there is a space beside a sign or a formula is often decided by the style. */
function seen(text: string): string {
  return text
    .normalize("NFC")
    .replace(/\s+/g, " ")
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu, "")
    .replace(/[\p{Pi}\p{Pf}"'`´]/gu, "'")
    .replace(/\p{Pd}+/gu, "-")
    .replaceAll("…", "...")
    .replace(/(?<![\p{L}\p{N}]) +| +(?![\p{L}\p{N}])/gu, "");
}

function matches(
  name: string,
  { id = "", class: classes = "" }: Record<string, string>,
  selectors: Selectors,
): boolean {
  const names = classes.split(/\s+/);
  return selectors.some((selector) => {
    if (selector.startsWith("#")) return id === selector.slice(1);
    return selector.startsWith(".") ? names.includes(selector.slice(1)) : name === selector;
  });
}
