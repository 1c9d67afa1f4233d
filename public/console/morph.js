// Turns one part of a page into another and changes only what differs: focus, selected text and unfolded details stay.

/** Marks elements that only the page's scripts write. */
const OWN = "data-own";
/** Attributes that readers change: updates leave them alone. */
const READER_ATTRIBUTES = ["open"];

/**
 * @param {Element} old
 * @param {Element} fresh
 */
export function morph(old, fresh) {
  if (old.hasAttribute(OWN)) return;
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && !READER_ATTRIBUTES.includes(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && !READER_ATTRIBUTES.includes(name)) old.setAttribute(name, value);
  }
  const freshNames = new Set([...fresh.childNodes].map(nameOf));
  /** @type {Map<string, ChildNode>} */
  const reusable = new Map();
  for (const node of [...old.childNodes]) {
    if (keyOf(node) === "") continue;
    if (freshNames.has(nameOf(node))) reusable.set(nameOf(node), node);
    else node.remove();
  }
  /** @type {ChildNode | null} */
  let at = old.firstChild;
  for (const node of [...fresh.childNodes]) {
    const reused = reusable.get(nameOf(node));
    if (reused !== undefined) {
      // Nodes without a key before it are gone.
      while (at !== null && at !== reused && keyOf(at) === "") at = removeNode(at);
      if (at === reused) at = at.nextSibling;
      else old.insertBefore(reused, at);
      change(reused, node);
    } else if (at !== null && nameOf(at) === nameOf(node)) {
      change(at, node);
      at = at.nextSibling;
    } else old.insertBefore(node, at);
  }
  while (at !== null) at = removeNode(at);
}

/**
 * @param {Node} old
 * @param {Node} fresh of the same name
 */
function change(old, fresh) {
  if (old instanceof Element && fresh instanceof Element) morph(old, fresh);
  else if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
}

/**
 * @param {ChildNode} node
 * @returns {ChildNode | null} the one after it
 */
function removeNode(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

/** @param {Node} node */
function nameOf(node) {
  return `${node.nodeName} ${keyOf(node)}`;
}

/**
 * The key that distinguishes it from its siblings; empty if it has none.
 * @param {Node} node
 */
function keyOf(node) {
  return node instanceof Element ? node.id || (node.getAttribute("data-key") ?? "") : "";
}
