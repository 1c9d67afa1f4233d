import { MAX_URL_LENGTH } from "../../url/canonicalize.ts";

/**
 * The scripts that run in a drawn page. They are strings, because a function would be bundled with names that a page
 * does not have. All but GUARD run in a world of their own, whose built-in objects the page cannot change.
 */

/**
 * Runs before the page's own scripts, in each of its frames, and takes away what needs no request to reach the network.
 * The flags of the browser hold the door on this machine, and the session's guardrails on Cloudflare: this keeps pages
 * from waiting for what never comes.
 */
export const GUARD = `(() => {
  for (const name of ["WebSocket", "WebSocketStream", "WebTransport", "EventSource", "RTCPeerConnection",
    "webkitRTCPeerConnection", "RTCDataChannel", "Worker", "SharedWorker", "SharedWorkerGlobalScope"]) {
    try { delete globalThis[name]; } catch {}
  }
  const set = (on, name, value) => {
    try { Object.defineProperty(on, name, { value, writable: false, configurable: false }); } catch {}
  };
  set(globalThis, "open", () => null);
  set(globalThis, "print", () => undefined);
  set(globalThis, "alert", () => undefined);
  set(globalThis, "confirm", () => false);
  set(globalThis, "prompt", () => null);
  set(Navigator.prototype, "sendBeacon", () => true);
  try { delete Navigator.prototype.serviceWorker; } catch {}
})()`;

/**
 * Resolves when nothing in the page has changed for `quietMs` since it was loaded, or after `maxMs`. What its scripts
 * do once it is loaded may come late on a busy machine.
 */
export const waitForStillness = (quietMs: number, maxMs: number) => `new Promise((resolve) => {
  let timer;
  const end = () => { observer.disconnect(); clearTimeout(timer); clearTimeout(last); resolve(true); };
  const wait = () => {
    clearTimeout(timer);
    if (document.readyState === "complete") timer = setTimeout(end, ${quietMs});
  };
  const observer = new MutationObserver(wait);
  const last = setTimeout(end, ${maxMs});
  observer.observe(document, { subtree: true, childList: true, characterData: true });
  addEventListener("load", wait, { once: true });
  wait();
})`;

/** Larger pages are not read: a page is parsed in an isolate of 128 MB. In characters. */
export const MAX_DRAWN_HTML = 10 * 1024 * 1024;
/** The same as a message: a WebSocket of a Worker takes 32 MiB. Quotes and other characters are escaped there. */
const MAX_MESSAGE_BYTES = 24 * 1024 * 1024;

/** A page as HTML, its address, and the address from which its links count. */
export interface Written {
  html: string;
  href: string;
  base: string;
  /** Present if the page has more than MAX_DRAWN_HTML characters, and no HTML. */
  isTooLarge?: true;
}

/**
 * The page as HTML, and its address, as `Written`. Open shadow roots stand in their hosts, slots hold what is assigned
 * to them, and a frame of the page's own origin is replaced by its content. A page without those is written by the
 * browser alone. A copy is made in a document without a window, where nothing is loaded and no constructor runs. It is
 * weighed as it is made: a page that is too large is neither copied nor sent.
 */
export const SERIALIZE = `(() => {
  const isShort = location.href.length <= ${MAX_URL_LENGTH} && document.baseURI.length <= ${MAX_URL_LENGTH};
  const place = isShort ? { href: location.href, base: document.baseURI } : { href: "", base: "" };
  const root = document.documentElement;
  if (root === null) return { html: "", ...place };
  const tooLarge = { html: "", ...place, isTooLarge: true };
  let left = ${MAX_DRAWN_HTML};
  // A form's fields may stand in place of its properties, so those are read as the browser has them.
  const reader = (of, name) => {
    const { get } = Object.getOwnPropertyDescriptor(of, name);
    return (node) => get.call(node);
  };
  const [typeOf, nameOf, lastOf, previousOf] = ["nodeType", "nodeName", "lastChild", "previousSibling"]
    .map((name) => reader(Node.prototype, name));
  const attributesOf = reader(Element.prototype, "attributes");
  const weigh = (node) => {
    if (typeOf(node) === 1) {
      left -= 2 * nameOf(node).length + 5;
      for (const { name, value } of attributesOf(node)) left -= name.length + value.length;
    } else left -= node.data?.length ?? 0;
    if (left < 0) throw tooLarge;
  };
  const weighAll = (top) => {
    const nodes = [top];
    while (nodes.length > 0) {
      const node = nodes.pop();
      weigh(node);
      const inside = node instanceof HTMLTemplateElement ? node.content : node;
      for (let child = lastOf(inside); child !== null; child = previousOf(child)) nodes.push(child);
    }
  };
  const inert = document.implementation.createHTMLDocument("");
  const frameOf = (element) => {
    if (element.localName !== "iframe" && element.localName !== "frame") return null;
    try { return element.contentDocument?.body ?? null; } catch { return null; }
  };
  const childrenOf = (node) => {
    if (node.localName === "slot" && node.getRootNode() instanceof ShadowRoot) {
      const assigned = node.assignedNodes({ flatten: true });
      if (assigned.length > 0) return assigned;
    }
    return (node.shadowRoot ?? node).childNodes;
  };
  const copyOf = (node) => {
    if (node.localName === "noscript") return inert.createComment("");
    if (node.localName === "template") {
      weighAll(node);
      return inert.importNode(node, true);
    }
    weigh(node);
    if (node.nodeType !== 1) return inert.importNode(node, false);
    const frame = frameOf(node);
    const copy = frame === null ? inert.importNode(node, false) : inert.createElement("div");
    for (const child of childrenOf(frame ?? node)) copy.append(copyOf(child));
    return copy;
  };
  const isLong = (text) => text.length > ${MAX_DRAWN_HTML} || (text.length > ${MAX_MESSAGE_BYTES / 6} &&
    new TextEncoder().encode(JSON.stringify(text)).length > ${MAX_MESSAGE_BYTES});
  try {
    let copy;
    try { copy = copyOf(root); } catch (error) {
      if (error === tooLarge) throw error;
      // It is nested too deeply to be copied.
      left = ${MAX_DRAWN_HTML};
      weighAll(root);
      copy = root;
    }
    const html = "<!DOCTYPE html>" + copy.outerHTML;
    return isLong(html) ? tooLarge : { html, ...place };
  } catch (error) {
    if (error === tooLarge) return tooLarge;
    throw error;
  }
})()`;
