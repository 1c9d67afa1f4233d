import { expect, test } from "vitest";
import { fitLinkedom, keepParserShapes, type Parser } from "../../../../src/media/html/tree/linkedom.ts";

/** If linkedom changes, linkedom.ts must throw when it loads: it must not lose pages or bounds in silence. */

type Change = "next" | "registry" | "elements" | "attributes" | "class" | "tokenizer" | null;

/** A parser that has what linkedom.ts needs of linkedom, except what `change` takes away. */
function parserWith(change: Change): Parser {
  class FakeElement {
    localName: string;
    attributes = new Map<string, string>();
    constructor(name: string) {
      this.localName = name;
    }
    get className(): string {
      return "";
    }
    set className(_: string) {
      this.attributes.clear();
    }
    getAttribute(name: string): string | null {
      return this.attributes.get(name) ?? null;
    }
  }
  if (change === "class") Reflect.deleteProperty(FakeElement.prototype, "className");
  class FakeDocument {
    all: FakeElement[] = [];
    createElement(name: string): FakeElement {
      return new FakeElement(name);
    }
    createElementNS(_: string, name: string): FakeElement {
      return new FakeElement(name);
    }
    createAttribute(name: string): { name: string } {
      return { name };
    }
  }
  class FakeTokenizer {
    cbs: object;
    constructor(cbs: object) {
      this.cbs = cbs;
    }
    stateBeforeDeclaration(): undefined {
      return undefined;
    }
    stateSpecialStartSequence(): undefined {
      return undefined;
    }
  }
  const handlers: { onparserinit?: (parser: object) => void } = {};
  const made = (document: FakeDocument, name: string) =>
    name === "svg" ? document.createElementNS("", name) : document.createElement(name);
  const registry = new WeakMap<object, unknown>();
  return {
    parseFromString(html) {
      const document = new FakeDocument();
      const parts: { stack: string[]; tokenizer?: object } = { stack: [] };
      if (change !== "tokenizer") parts.tokenizer = new FakeTokenizer(parts);
      handlers.onparserinit?.(parts);
      Object.assign(document, { [Symbol(change === "next" ? "following" : "next")]: null });
      if (change !== "registry") registry.set(document, new Map());
      for (const [, name = "", attribute, value = ""] of html.matchAll(/<(\w+)(?: (\w+)=(\w+))?>/g)) {
        const element = change === "elements" ? new FakeElement(name) : made(document, name);
        if (attribute !== undefined)
          element.attributes.set(change === "attributes" ? attribute : document.createAttribute(attribute).name, value);
        document.all.push(element);
      }
      return document;
    },
  };
}

test.each<[Change, string]>([
  ["next", "a document has no symbol named `next`"],
  ["registry", "a document registers in no WeakMap"],
  ["elements", "its parser makes <p></p> without `createElement`"],
  ["attributes", "its parser does not call `createAttribute`"],
  ["class", "<p> has no accessor `className`"],
  ["tokenizer", "its parser has no `tokenizer`"],
])("a change of %s throws", (change, message) => {
  expect(() => fitLinkedom(parserWith(change))).toThrow(`linkedom has changed: ${message}`);
});

test("a parser that is built as expected does not throw", () => {
  expect(fitLinkedom(parserWith(null)).description).toBe("next");
});

test("a parser that no longer shows itself to handlers throws when its shapes are kept", () => {
  expect(() => keepParserShapes(() => undefined)).toThrow("linkedom has changed: its parser no longer calls");
});
