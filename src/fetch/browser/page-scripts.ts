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
  set(Navigator.prototype, "sendBeacon", () => true);
  try { delete Navigator.prototype.serviceWorker; } catch {}
})()`;

/** Resolves when nothing in the page has changed for `quietMs`, or after `maxMs`. */
export const waitForStillness = (quietMs: number, maxMs: number) => `new Promise((resolve) => {
  let timer;
  const end = () => { observer.disconnect(); clearTimeout(timer); clearTimeout(last); resolve(true); };
  const wait = () => { clearTimeout(timer); timer = setTimeout(end, ${quietMs}); };
  const observer = new MutationObserver(wait);
  const last = setTimeout(end, ${maxMs});
  observer.observe(document, { subtree: true, childList: true, characterData: true });
  wait();
})`;

/**
 * The page as HTML, and its address. Open shadow roots stand in their hosts, slots hold what is assigned to them, and a
 * frame of the page's own origin is replaced by its content. A page without those is written by the browser alone. A
 * copy is made in a document without a window, where nothing is loaded and no constructor runs.
 */
export const SERIALIZE = `(() => {
  const root = document.documentElement;
  if (root === null) return { html: "", href: location.href, base: document.baseURI };
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
    if (node.nodeType !== 1) return inert.importNode(node, false);
    if (node.localName === "noscript") return inert.createComment("");
    if (node.localName === "template") return inert.importNode(node, true);
    const frame = frameOf(node);
    const copy = frame === null ? inert.importNode(node, false) : inert.createElement("div");
    for (const child of childrenOf(frame ?? node)) copy.append(copyOf(child));
    return copy;
  };
  let copy;
  try { copy = copyOf(root); } catch { copy = root; }
  return { html: "<!DOCTYPE html>" + copy.outerHTML, href: location.href, base: document.baseURI };
})()`;
