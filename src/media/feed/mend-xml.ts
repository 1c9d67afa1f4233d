import { escapeAttribute, escapeHtml } from "../html/tree/write-html.ts";
import { XmlTokens } from "../sitemap/xml-tokens.ts";

/**
 * Mends the XML of a feed, as browsers mend HTML: signs that are no markup become text, and every element is closed.
 * feedsmith reads broken namespaces and dates, but stops at a tag that does not fit.
 */

const ATTRIBUTES = new Set([
  ..."href rel type length url title src version base about resource ispermalink domain term label lang".split(" "),
  ..."xml:lang xml:base rdf:about rdf:resource xmlns xmlns:rdf xmlns:rss xmlns:dc xmlns:content xmlns:atom".split(" "),
  ..."xmlns:itunes xmlns:media xmlns:dcterms xmlns:a".split(" "),
]);
/** They stand in no other, so the next one ends the one before. */
const ENTRIES = /^(?:[\w.-]+:)?(?:item|entry)$/;
/** They hold text alone, so any end tag ends them, and so does the next of them. */
const TEXTS = /^(?:[\w.-]+:)?(?:title|link|guid|id|pubdate|published|updated|date|creator|name|uri|email|language)$/;
/** Its parser refuses names that mean something to JavaScript. */
const NAME = /^(?!constructor$|prototype$|hasownproperty$|tostring$|valueof$)[a-z][\w.:-]*$/;
/** It takes a hundred. */
const MAX_DEPTH = 60;

/** Linear in the length of the text. */
export function mendXml(text: string): string {
  const out: string[] = [];
  const open: string[] = [];
  /** For each name, how many of them are open. */
  const counts = new Map<string, number>();
  let tooDeep = 0;
  const closeLast = () => {
    const name = open.pop() as string;
    counts.set(name, (counts.get(name) ?? 1) - 1);
    out.push(`</${name}>`);
  };
  const tokens = new XmlTokens(
    {
      open(name, attributes) {
        if (!NAME.test(name)) return;
        if (ENTRIES.test(name) || TEXTS.test(name)) while (TEXTS.test(open.at(-1) ?? "")) closeLast();
        if (ENTRIES.test(name) && (counts.get(name) ?? 0) > 0) while ((counts.get(name) ?? 0) > 0) closeLast();
        if (open.length >= MAX_DEPTH) {
          tooDeep += 1;
          return;
        }
        const written = [...attributes].map(([key, value]) => ` ${key}="${escapeAttribute(value)}"`);
        out.push(`<${name}${written.join("")}>`);
        open.push(name);
        counts.set(name, (counts.get(name) ?? 0) + 1);
      },
      close(name) {
        if (tooDeep > 0) tooDeep -= 1;
        else if ((counts.get(name) ?? 0) > 0) {
          while (open.at(-1) !== name) closeLast();
          closeLast();
        } else if (TEXTS.test(open.at(-1) ?? "")) closeLast();
      },
      text: (part) => out.push(escapeHtml(part)),
      doctype: () => undefined,
    },
    ATTRIBUTES,
    text.length,
  );
  tokens.write(text);
  while (open.length > 0) closeLast();
  return out.join("");
}
