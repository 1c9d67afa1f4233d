// Makes one part of a page like another, and leaves alone what is the same: whatever has the focus keeps it, a text that somebody has
// marked stays marked, and what was unfolded stays open.

/** What the page's own scripts write, and the server knows nothing of. */
const OWN = "data-own";
/** What readers change, and no number does. */
const READERS = ["open"];

/**
 * @param {Element} old
 * @param {Element} fresh
 */
export function morph(old, fresh) {
  if (old.hasAttribute(OWN)) return;
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && !READERS.includes(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && !READERS.includes(name)) old.setAttribute(name, value);
  }
  const left = new Set([...fresh.childNodes].map(keyOf).filter((key) => key !== ""));
  for (const node of [...old.childNodes]) if (keyOf(node) !== "" && !left.has(keyOf(node))) node.remove();
  let at = old.firstChild;
  for (const node of [...fresh.childNodes]) {
    if (at !== null && isAlike(at, node)) {
      if (at instanceof Element && node instanceof Element) morph(at, node);
      else if (at.nodeValue !== node.nodeValue) at.nodeValue = node.nodeValue;
      at = at.nextSibling;
    } else old.insertBefore(node, at);
  }
  while (at !== null) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/**
 * @param {Node} old
 * @param {Node} fresh
 */
function isAlike(old, fresh) {
  return old.nodeName === fresh.nodeName && keyOf(old) === keyOf(fresh);
}

/**
 * What tells it from its neighbours, where something does.
 * @param {Node} node
 */
function keyOf(node) {
  return node instanceof Element ? node.id || (node.getAttribute("data-key") ?? "") : "";
}
