import { TEXTLESS } from "../article/anchor-contexts.ts";
import { ATTRIBUTE, CDATA, ELEMENT, END, type HtmlDocument, nextListed, TEXT } from "../tree/linkedom.ts";

/** Reads from the elements of a page with little text whether its scripts, or the page itself, hold what it shows. */

export interface ShellSigns {
  /** Characters of text outside scripts, styles, templates and `noscript`; white space around texts aside. */
  text: number;
  /** The number of those that stand in links. */
  linkText: number;
  /** Links to other places than the page itself. */
  links: number;
  /** Scripts of the page that may draw it: not those that count visitors. */
  scripts: number;
  /** Whether a script comes from a file. */
  hasScriptFile: boolean;
  /** The root of an application, as its start tag, that holds no more than a word of waiting; null if there is none. */
  emptyRoot: string | null;
  /** A text of `noscript` that asks for scripts; null if there is none. */
  noscript: string | null;
  /** A template of a script framework in the text, such as `{{ title }}`; null if there is none. */
  template: string | null;
  /** `meta name=fragment`: the page asked crawlers to get it drawn. */
  hasFragmentMeta: boolean;
  /** Pictures, films and embedded documents. */
  pictures: number;
  hasPassword: boolean;
  hasFrames: boolean;
  /** It leads to another page by itself. */
  isRedirect: boolean;
}

/** Characters in a root that only waits: "Loading, please wait". */
const MAX_WAITING = 60;
const MAX_QUOTE = 120;
/** Shorter inline scripts set a class or a variable. */
const MIN_INLINE = 120;
/** Characters of one inline script that are read. */
const MAX_INLINE = 20_000;
/** Inline scripts of pages that only lead on are shorter. */
const MAX_REDIRECT_SCRIPT = 1_000;

const PICTURES = new Set("img picture svg video audio object embed iframe canvas map".split(" "));
const SCRIPT_TYPE = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script|text\/(?:babel|jsx|typescript))$/;
const ROOT_ID =
  /^(?:_*(?:root|app|next|nuxt|gatsby|svelte|vue|react|elm|ember|spa|application|mount|redoc|swagger-ui)|(?:app|react|vue|storybook|page|main|client|js)-?(?:root|app|mount|view|shell)|q-app|(?:app|redoc|react)-(?:container|wrapper|content|main))$/i;
const ROOT_ATTRIBUTES = new Set("data-reactroot ng-app data-ng-app ng-view ui-view data-v-app".split(" "));
/** Attributes by which a framework says that its templates are in the page. */
const TEMPLATE_ATTRIBUTES = new Set("ng-app data-ng-app v-cloak ng-cloak ng-controller data-bind".split(" "));
const VISITOR_COUNTERS =
  /google-?analytics|googletagmanager|\/gtag\/|matomo|piwik|plausible|umami|cloudflareinsights|\/cdn-cgi\/|hotjar|doubleclick|googlesyndication|clarity\.ms|facebook\.net|statcounter|recaptcha|hcaptcha|cookie-?(?:consent|bot|law)|onetrust|addthis|polyfill|modernizr|html5shiv|newrelic/i;
const INLINE_COUNTERS = /GoogleAnalyticsObject|\bgtag\(|\b_paq\b|\bfbq\(|_gaq\b|dataLayer\b/;
const LEADS_ON = /\blocation(?:\.href\s*=(?!=)|\.(?:replace|assign)\(|\s*=(?!=))/;
/** In any language: the word stands in a text that is not about how the page is written. */
const ASKS_FOR_SCRIPTS = /java ?script/i;
const TEMPLATE = /\{\{[^{}]{1,80}\}\}/;

interface OpenElement {
  name: string;
  /** Null for an element whose attributes do not matter. */
  attributes: Map<string, string> | null;
  id: string | null;
  /** Whether an attribute says that it is a root. */
  isNamedRoot: boolean;
  /** The counts where it begins. */
  text: number;
  links: number;
  fields: number;
  pictures: number;
  /** The text in a script or `noscript`. */
  held: string;
}

const WITH_ATTRIBUTES = new Set(["a", "input", "meta", "script"]);
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

/** One walk over the nodes. It is for pages with little text, so it may look closely. */
export function readShellSigns(document: HtmlDocument): ShellSigns {
  const signs: ShellSigns = {
    text: 0,
    linkText: 0,
    links: 0,
    scripts: 0,
    hasScriptFile: false,
    emptyRoot: null,
    noscript: null,
    template: null,
    hasFragmentMeta: false,
    pictures: 0,
    hasPassword: false,
    hasFrames: false,
    isRedirect: false,
  };
  const open: OpenElement[] = [];
  let fields = 0;
  let textless = 0;
  let anchors = 0;
  let noscripts = 0;
  let hasTemplates = false;
  let template: string | null = null;

  for (let node = nextListed(document); node !== null; node = nextListed(node)) {
    const { nodeType } = node;
    if (nodeType === ELEMENT) {
      const name = node.localName ?? "";
      const { text, links, pictures } = signs;
      const attributes = WITH_ATTRIBUTES.has(name) ? new Map<string, string>() : null;
      open.push({ name, attributes, id: null, isNamedRoot: false, text, links, fields, pictures, held: "" });
      if (TEXTLESS.has(name)) textless += 1;
      if (name === "noscript") noscripts += 1;
      else if (name === "a") anchors += 1;
      else if (name === "frameset") signs.hasFrames = true;
      else if (PICTURES.has(name) && textless === 0) signs.pictures += 1;
    } else if (nodeType === ATTRIBUTE) {
      const attribute = node.name ?? "";
      const element = open[open.length - 1];
      if (element === undefined) continue;
      element.attributes?.set(attribute, node.value ?? "");
      if (attribute === "id") element.id = node.value ?? "";
      else if (attribute !== "class") {
        element.isNamedRoot ||= ROOT_ATTRIBUTES.has(attribute);
        hasTemplates ||= TEMPLATE_ATTRIBUTES.has(attribute);
      }
    } else if (nodeType === TEXT || nodeType === CDATA) {
      const data = node.data ?? "";
      if (textless === 0) {
        const { length } = data.trim();
        signs.text += length;
        if (anchors > 0) signs.linkText += length;
        if (length > 4) template ??= TEMPLATE.exec(data)?.[0] ?? null;
      }
      const holder = noscripts > 0 ? open.find(({ name }) => name === "noscript") : open.at(-1);
      const isHeld = holder !== undefined && (holder.name === "script" || holder.name === "noscript");
      if (isHeld && holder.held.length < MAX_INLINE) holder.held += data.slice(0, MAX_INLINE);
    } else if (nodeType === END) {
      const closed = open.pop();
      if (closed === undefined) continue;
      const { name } = closed;
      const attributes = closed.attributes ?? NO_ATTRIBUTES;
      if (TEXTLESS.has(name)) textless -= 1;
      if (name === "noscript") noscripts -= 1;
      else if (name === "a") anchors -= 1;
      if (name === "a" && leadsElsewhere(attributes.get("href"))) signs.links += 1;
      else if (name === "input" || name === "textarea" || name === "select" || name === "button") {
        fields += 1;
        signs.hasPassword ||= attributes.get("type")?.toLowerCase() === "password";
      } else if (name === "meta") readMeta(signs, attributes);
      else if (name === "script") readScript(signs, attributes, closed.held);
      else if (name === "noscript") signs.noscript ??= askingText(closed.held);
      else if (isRoot(closed, open)) {
        const isEmpty =
          signs.text - closed.text <= MAX_WAITING && signs.links === closed.links && fields === closed.fields;
        if (isEmpty && signs.pictures - closed.pictures <= 1) signs.emptyRoot ??= startTagOf(closed);
      }
    }
  }
  if (hasTemplates) signs.template = template;
  return signs;
}

function leadsElsewhere(href: string | undefined): boolean {
  return href !== undefined && !/^\s*(?:#|javascript:|$)/i.test(href);
}

function readMeta(signs: ShellSigns, attributes: ReadonlyMap<string, string>): void {
  if (attributes.get("name")?.toLowerCase() === "fragment") signs.hasFragmentMeta = true;
  if (attributes.get("http-equiv")?.toLowerCase() === "refresh" && /url/i.test(attributes.get("content") ?? ""))
    signs.isRedirect = true;
}

function readScript(signs: ShellSigns, attributes: ReadonlyMap<string, string>, held: string): void {
  const type = attributes.get("type")?.split(";", 1)[0] ?? "";
  if (!SCRIPT_TYPE.test(type.trim().toLowerCase())) return;
  const src = attributes.get("src");
  if (src !== undefined) {
    if (VISITOR_COUNTERS.test(src)) return;
    signs.scripts += 1;
    signs.hasScriptFile = true;
    return;
  }
  if (held.length <= MAX_REDIRECT_SCRIPT && LEADS_ON.test(held)) signs.isRedirect = true;
  if (held.trim().length >= MIN_INLINE && !INLINE_COUNTERS.test(held)) signs.scripts += 1;
}

function askingText(held: string): string | null {
  const text = held.replace(/\s+/g, " ").trim();
  if (!ASKS_FOR_SCRIPTS.test(text)) return null;
  return text.length <= MAX_QUOTE ? text : `${text.slice(0, MAX_QUOTE - 1)}…`;
}

/** An element with the name of an application's root, or a custom element right below `body`. */
function isRoot({ name, id, isNamedRoot }: OpenElement, around: readonly OpenElement[]): boolean {
  if (name === "body" || name === "html") return false;
  if (isNamedRoot || (id !== null && ROOT_ID.test(id))) return true;
  return name === "redoc" || (name.includes("-") && around.at(-1)?.name === "body");
}

function startTagOf({ name, id }: OpenElement): string {
  return id === null ? `<${name}>` : `<${name} id="${id}">`;
}
