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
  const fresher = new Set([...fresh.childNodes].map(nameOf));
  const known = new Map();
  for (const node of [...old.childNodes]) {
    if (keyOf(node) === "") continue;
    if (fresher.has(nameOf(node))) known.set(nameOf(node), node);
    else node.remove();
  }
  let at = old.firstChild;
  for (const node of [...fresh.childNodes]) {
    const mine = known.get(nameOf(node));
    if (mine !== undefined) {
      // What stood before it, and nothing tells from others, has gone.
      while (at !== null && at !== mine && keyOf(at) === "") at = removed(at);
      if (at === mine) at = at.nextSibling;
      else old.insertBefore(mine, at);
      change(mine, node);
    } else if (at !== null && nameOf(at) === nameOf(node)) {
      change(at, node);
      at = at.nextSibling;
    } else old.insertBefore(node, at);
  }
  while (at !== null) at = removed(at);
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
function removed(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

/** @param {Node} node */
function nameOf(node) {
  return `${node.nodeName} ${keyOf(node)}`;
}

/**
 * What tells it from its neighbours, where something does.
 * @param {Node} node
 */
function keyOf(node) {
  return node instanceof Element ? node.id || (node.getAttribute("data-key") ?? "") : "";
}
