import { queryEncoderOf } from "../../media/characters/query-encoding.ts";
import { parseRefresh } from "../../media/html/facts/refresh.ts";
import { documentBase } from "../../media/links/links.ts";
import { decodeAttribute, encodeAttribute } from "./decode-attribute.ts";
import { type LinkContext, type PageLinks, ReplayLinks } from "./replay-links.ts";
import { rewriteCss, rewriteRefresh, rewriteSrcset } from "./rewrite-text.ts";

/**
 * Rewrites the links of a mirrored page so that they lead into its replay, or to the files of a folder. A link that is
 * not found here stays as it is. In a replay, a relative one leads into it anyway, and the policy of the served page
 * keeps a browser from loading any other.
 */

type Rewrite = (written: string, links: PageLinks) => string | null;

const href: Rewrite = (written, links) => links.addressOf(written);
const drop: Rewrite = () => "";
/**
 * The answer to a form that posts was never mirrored, and what people type must not be sent. Outside a dialog this
 * method does nothing.
 */
const method: Rewrite = (written) => (written.trim().toLowerCase() === "post" ? "dialog" : null);

/** By element, the attributes that hold URLs. */
const ATTRIBUTES: Record<string, Record<string, Rewrite>> = {
  a: { href, "xlink:href": href, ping: drop },
  area: { href, ping: drop },
  link: { href, imagesrcset: rewriteSrcset },
  script: { src: href },
  img: { src: href, srcset: rewriteSrcset, lowsrc: href, longdesc: href },
  source: { src: href, srcset: rewriteSrcset },
  video: { src: href, poster: href },
  audio: { src: href },
  track: { src: href },
  embed: { src: href },
  object: { data: href },
  iframe: { src: href },
  frame: { src: href, longdesc: href },
  form: { action: href, method },
  button: { formaction: href, formmethod: method },
  input: { src: href, formaction: href, formmethod: method },
  body: { background: href },
  table: { background: href },
  td: { background: href },
  th: { background: href },
  image: { href, "xlink:href": href },
  use: { href, "xlink:href": href },
  feimage: { href, "xlink:href": href },
};
/** Attributes that would make a browser refuse a rewritten file, or send credentials. */
const REMOVED_ATTRIBUTES = ["integrity", "crossorigin", "nonce"];
/** Relations that open connections despite the policy. */
const CONNECTS = /(?:^|[\t\n\f\r ])(?:dns-prefetch|preconnect)(?:[\t\n\f\r ]|$)/i;
/** New windows, which a sandbox does not open. */
const NEW_WINDOW = /^_(?:blank|new)$/i;
/** Levels of documents in a document, of `noscript` and `srcdoc`: each level is parsed again. */
const MAX_NESTED = 2;

/**
 * `prefix`: the beginning of each address in the replay. `encoding`: the page's, in which the queries of its links are.
 * Throws what the parser throws.
 */
export async function rewriteHtml(html: string, pageUrl: string, prefix: string, encoding = "utf-8"): Promise<string> {
  return rewriteLinks(html, new ReplayLinks(prefix, await contextOf(html, pageUrl, encoding)));
}

/** What the page's links are resolved against. `encoding`: the page's. Throws what the parser throws. */
export async function contextOf(html: string, pageUrl: string, encoding: string): Promise<LinkContext> {
  const base = documentBase(await baseOf(html), pageUrl);
  return { pageUrl, base, encodeQuery: queryEncoderOf(encoding) };
}

/** Rewrites the links by `links`. Throws what the parser throws. */
export async function rewriteLinks(html: string, links: PageLinks): Promise<string> {
  return rewrite(html, links, 0);
}

/** The `href` of the first `base` that has one: it applies to links before it too. Throws what the parser throws. */
async function baseOf(html: string): Promise<string | null> {
  if (!/<base[\s/]/i.test(html)) return null;
  let found: string | null = null;
  await transform(
    html,
    new HTMLRewriter().on("base[href]", {
      element(base) {
        found ??= decodeAttribute(base.getAttribute("href") ?? "");
      },
    }),
  );
  return found;
}

async function rewrite(html: string, links: PageLinks, nested: number): Promise<string> {
  const rewriter = new HTMLRewriter();
  for (const [name, attributes] of Object.entries(ATTRIBUTES)) {
    rewriter.on(name, { element: (element) => rewriteAttributes(element, attributes, links) });
  }
  for (const name of ["link", "script", "img"]) {
    rewriter.on(name, {
      element(element) {
        for (const attribute of REMOVED_ATTRIBUTES) element.removeAttribute(attribute);
      },
    });
  }
  rewriter.on("link[rel]", {
    element(link) {
      if (CONNECTS.test(link.getAttribute("rel") ?? "")) link.remove();
    },
  });
  // The rewritten links need no base.
  rewriter.on("base", { element: (base) => void base.remove() });
  rewriter.on("[target]", {
    element(element) {
      if (links.prefix !== null && NEW_WINDOW.test(element.getAttribute("target") ?? ""))
        element.removeAttribute("target");
    },
  });
  rewriter.on("[style]", {
    element: (element) => rewriteAttributes(element, { style: rewriteCss }, links),
  });
  rewriter.on(
    "style",
    rewriteText((css) => rewriteCss(css, links)),
  );
  if (nested < MAX_NESTED) {
    rewriter.on(
      "noscript",
      rewriteText((inner) => rewrite(inner, links, nested + 1)),
    );
    rewriter.on("iframe[srcdoc]", {
      element: async (frame) => {
        const html = decodeAttribute(frame.getAttribute("srcdoc") ?? "");
        // https://html.spec.whatwg.org/multipage/urls-and-fetching.html#fallback-base-url
        const { base: pageUrl, encodeQuery } = links.context;
        const inner = links.within({ pageUrl, base: documentBase(await baseOf(html), pageUrl), encodeQuery });
        frame.setAttribute("srcdoc", encodeAttribute(await rewrite(html, inner, nested + 1)));
      },
    });
  }
  const leadsOn = rewriteMeta(rewriter, links);
  if (nested === 0) {
    rewriter.onDocument({
      end(end) {
        if (leadsOn.address !== null) end.append(onwards(leadsOn.address), { html: true });
      },
    });
  }
  return transform(html, rewriter);
}

function rewriteAttributes(element: Element, attributes: Record<string, Rewrite>, links: PageLinks): void {
  for (const [name, by] of Object.entries(attributes)) {
    const source = element.getAttribute(name);
    if (source === null) continue;
    const written = decodeAttribute(source);
    const rewritten = by(written, links);
    if (rewritten === "") element.removeAttribute(name);
    else if (rewritten !== null && rewritten !== written) element.setAttribute(name, encodeAttribute(rewritten));
  }
}

/**
 * Removes the page's own policy, which is for its origin. Returns where a refresh leads, because no browser follows it
 * in a sandbox.
 */
function rewriteMeta(rewriter: HTMLRewriter, links: PageLinks): { address: string | null } {
  const leadsOn: { address: string | null } = { address: null };
  rewriter.on("meta[http-equiv]", {
    element(meta) {
      const name = meta.getAttribute("http-equiv")?.trim().toLowerCase() ?? "";
      if (name.startsWith("content-security-policy")) meta.remove();
      if (name !== "refresh") return;
      rewriteAttributes(meta, { content: rewriteRefresh }, links);
      const target = parseRefresh(decodeAttribute(meta.getAttribute("content") ?? ""));
      if (links.prefix !== null && target?.startsWith(links.prefix)) leadsOn.address ??= target;
    },
  });
  return leadsOn;
}

function onwards(address: string): string {
  const place = "position:fixed;inset:auto 0 0 0;margin:0;padding:.6em 1em;z-index:2147483647";
  const look = "background:#222;color:#fff;font:14px/1.4 sans-serif";
  const escaped = encodeAttribute(address).replaceAll('"', "&quot;");
  return `<p style="${place};${look}">This page led on to <a style="color:#9cf" href="${escaped}">another one</a>.</p>`;
}

/** Collects the text of an element, which arrives in pieces, and replaces it at the last one. */
function rewriteText(rewritten: (text: string) => string | Promise<string>): HTMLRewriterElementContentHandlers {
  let text = "";
  return {
    async text(piece) {
      text += piece.text;
      if (!piece.lastInTextNode) return void piece.remove();
      const complete = text;
      text = "";
      piece.replace(await rewritten(complete), { html: true });
    },
  };
}

async function transform(html: string, rewriter: HTMLRewriter): Promise<string> {
  return rewriter.transform(new Response(html, { headers: { "content-type": "text/html;charset=utf-8" } })).text();
}
