/**
 * The tree that content is made from: a copy of linkedom's tree without what is no content. It has the part of the DOM
 * that readers of documents use, at a fraction of linkedom's cost: siblings are linked, and lists of children and
 * texts are remembered.
 */

interface ContentAttribute {
  name: string;
  value: string;
}

export type ContentNode = ContentElement | ContentText;

class Attribute implements ContentAttribute {
  name: string;
  value: string;
  constructor(name: string, value: string) {
    this.name = name;
    this.value = value;
  }
}

abstract class Linked {
  parentNode: ContentElement | null = null;
  previousSibling: ContentNode | null = null;
  nextSibling: ContentNode | null = null;

  get parentElement(): ContentElement | null {
    return this.parentNode;
  }

  get nextElementSibling(): ContentElement | null {
    let node = this.nextSibling;
    while (node !== null && node.nodeType !== 1) node = node.nextSibling;
    return node;
  }

  get previousElementSibling(): ContentElement | null {
    let node = this.previousSibling;
    while (node !== null && node.nodeType !== 1) node = node.previousSibling;
    return node;
  }

  remove(): void {
    this.parentNode?.unlink(this as unknown as ContentNode);
  }
}

const NONE: readonly ContentNode[] = [];

export class ContentText extends Linked {
  #data: string;

  constructor(data: string) {
    super();
    this.#data = data;
  }

  // Getters, because texts are the most frequent nodes, and each field takes eight bytes.
  get nodeType(): 3 {
    return 3;
  }

  get tagName(): undefined {
    return undefined;
  }

  get childNodes(): readonly ContentNode[] {
    return NONE;
  }

  get data(): string {
    return this.#data;
  }

  set data(data: string) {
    this.#data = data;
    this.parentNode?.forgetText();
  }

  get textContent(): string {
    return this.#data;
  }
}

/** Shared by the elements without attributes, which are the most. */
const NO_ATTRIBUTES: readonly ContentAttribute[] = [];
const UPPER = new Map<string, string>();

function upperCase(name: string): string {
  const known = UPPER.get(name);
  if (known !== undefined) return known;
  const upper = name.toUpperCase();
  // A page may have any number of names.
  if (UPPER.size < 500) UPPER.set(name, upper);
  return upper;
}

export class ContentElement extends Linked {
  /** A change of an element's name changes both. */
  localName: string;
  tagName: string;
  attributes: readonly ContentAttribute[] = NO_ATTRIBUTES;
  firstChild: ContentNode | null = null;
  lastChild: ContentNode | null = null;
  #text: string | null = null;
  #childNodes: ContentNode[] | null = null;
  #children: ContentElement[] | null = null;

  constructor(localName: string) {
    super();
    this.localName = localName;
    this.tagName = upperCase(localName);
  }

  get nodeType(): 1 {
    return 1;
  }

  getAttribute(name: string): string | null {
    for (const attribute of this.attributes) if (attribute.name === name) return attribute.value;
    return null;
  }

  hasAttribute(name: string): boolean {
    return this.getAttribute(name) !== null;
  }

  setAttribute(name: string, value: string): void {
    for (const attribute of this.attributes)
      if (attribute.name === name) {
        attribute.value = value;
        return;
      }
    if (this.attributes === NO_ATTRIBUTES) this.attributes = [new Attribute(name, value)];
    else (this.attributes as ContentAttribute[]).push(new Attribute(name, value));
  }

  removeAttribute(name: string): void {
    if (this.hasAttribute(name)) this.attributes = this.attributes.filter((attribute) => attribute.name !== name);
  }

  get className(): string {
    return this.getAttribute("class") ?? "";
  }

  set className(value: string) {
    this.setAttribute("class", value);
  }

  get id(): string {
    return this.getAttribute("id") ?? "";
  }

  set id(value: string) {
    this.setAttribute("id", value);
  }

  get type(): string | null {
    return this.getAttribute("type");
  }

  get checked(): boolean {
    return this.hasAttribute("checked");
  }

  get src(): string {
    return this.getAttribute("src") ?? "";
  }

  get srcset(): string {
    return this.getAttribute("srcset") ?? "";
  }

  get childNodes(): ContentNode[] {
    if (this.#childNodes === null) {
      this.#childNodes = [];
      for (let node = this.firstChild; node !== null; node = node.nextSibling) this.#childNodes.push(node);
    }
    return this.#childNodes;
  }

  get children(): ContentElement[] {
    if (this.#children === null) {
      this.#children = [];
      for (let node = this.firstChild; node !== null; node = node.nextSibling)
        if (node.nodeType === 1) this.#children.push(node);
    }
    return this.#children;
  }

  get firstElementChild(): ContentElement | null {
    let node = this.firstChild;
    while (node !== null && node.nodeType !== 1) node = node.nextSibling;
    return node;
  }

  get lastElementChild(): ContentElement | null {
    let node = this.lastChild;
    while (node !== null && node.nodeType !== 1) node = node.previousSibling;
    return node;
  }

  /** Every element below remembers its text too, so an element that remembers none has no ancestor that does. */
  get textContent(): string {
    if (this.#text === null) {
      let text = "";
      for (let node = this.firstChild; node !== null; node = node.nextSibling) text += node.textContent;
      this.#text = text;
    }
    return this.#text;
  }

  forgetText(): void {
    for (let node: ContentElement | null = this; node !== null && node.#text !== null; node = node.parentNode) {
      node.#text = null;
    }
  }

  getElementsByTagName(tag: string): ContentElement[] {
    const name = upperCase(tag);
    const found: ContentElement[] = [];
    for (const element of elementsIn(this)) if (name === "*" || element.tagName === name) found.push(element);
    return found;
  }

  /** Supports tag names separated by commas, and no other selectors. */
  querySelectorAll(tags: string): ContentElement[] {
    if (!tags.includes(",")) return this.getElementsByTagName(tags);
    const names = new Set(tags.split(",").map(upperCase));
    const found: ContentElement[] = [];
    for (const element of elementsIn(this)) if (names.has(element.tagName)) found.push(element);
    return found;
  }

  appendChild<N extends ContentNode>(node: N): N {
    node.parentNode?.unlink(node);
    this.append(node);
    return node;
  }

  /** Like `appendChild`, for a node without a parent. */
  append(node: ContentNode): void {
    node.parentNode = this;
    node.previousSibling = this.lastChild;
    if (this.lastChild === null) this.firstChild = node;
    else this.lastChild.nextSibling = node;
    this.lastChild = node;
    this.#changed();
  }

  insertBefore(node: ContentNode, before: ContentNode | null): ContentNode {
    if (before === null) return this.appendChild(node);
    node.parentNode?.unlink(node);
    node.parentNode = this;
    node.previousSibling = before.previousSibling;
    node.nextSibling = before;
    if (before.previousSibling === null) this.firstChild = node;
    else before.previousSibling.nextSibling = node;
    before.previousSibling = node;
    this.#changed();
    return node;
  }

  unlink(node: ContentNode): void {
    if (node.parentNode !== this) return;
    if (node.previousSibling === null) this.firstChild = node.nextSibling;
    else node.previousSibling.nextSibling = node.nextSibling;
    if (node.nextSibling === null) this.lastChild = node.previousSibling;
    else node.nextSibling.previousSibling = node.previousSibling;
    node.parentNode = null;
    node.previousSibling = null;
    node.nextSibling = null;
    this.#changed();
  }

  #changed(): void {
    this.#childNodes = null;
    this.#children = null;
    this.forgetText();
  }
}

/**
 * Yields the elements below `root` in document order. The caller may change nodes below the current element. Only a
 * caller that then stops may remove it.
 */
export function* elementsIn(root: ContentElement): Generator<ContentElement, void> {
  let node: ContentNode | null = root.firstChild;
  while (node !== null) {
    if (node.nodeType === 1) yield node;
    node = nextNode(node, root);
  }
}

/** The first characters of the text of `root`. Unlike `textContent`, it makes and keeps no text of the whole. */
export function startOfText(root: ContentElement, length: number): string {
  let text = "";
  for (let node = nextNode(root, root); node !== null && text.length < length; node = nextNode(node, root))
    if (node.nodeType === 3) text += node.data.slice(0, length - text.length);
  return text;
}

/** Whether there is more than white space in `root`. Makes no text either. */
export function hasText(root: ContentElement): boolean {
  for (let node = nextNode(root, root); node !== null; node = nextNode(node, root))
    if (node.nodeType === 3 && /\S/.test(node.data)) return true;
  return false;
}

/** Returns the next node in document order below `root`; with `skip`, the next one that is not below `node`. */
export function nextNode(node: ContentNode, root: ContentElement, skip = false): ContentNode | null {
  if (!skip && node.nodeType === 1 && node.firstChild !== null) return node.firstChild;
  let from: ContentNode = node;
  while (from !== root) {
    if (from.nextSibling !== null) return from.nextSibling;
    if (from.parentNode === null) return null;
    from = from.parentNode;
  }
  return null;
}
