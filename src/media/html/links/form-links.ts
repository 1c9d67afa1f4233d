import type { FormFill } from "../../../core/form-fill.ts";
import { queryEncoderOf } from "../../characters/query-encoding.ts";
import type { RawLink } from "../../links/links.ts";
import { selectElements } from "../fields/match-selector.ts";
import type { HtmlDocument, HtmlElement } from "../tree/linkedom.ts";
import { tidy } from "../tree/tidy.ts";

/**
 * Fills in the forms of a page that search by GET: each value becomes a link to what the form would ask for. A form
 * that sends POST is refused, because a POST may change something.
 * https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#form-submission-algorithm
 */

/** linkedom's element, as far as forms need it. */
interface FormElement extends HtmlElement {
  closest(selector: string): FormElement | null;
  querySelector(selector: string): FormElement | null;
  querySelectorAll(selector: string): Iterable<FormElement>;
}

interface FilledForms {
  links: RawLink[];
  /** The actions of forms that send POST, as written. */
  refused: string[];
}

const FIELDS = "input,select,textarea,button";
const TEXT_FIELD =
  "input:not([type]),input[type=text],input[type=search],input[type=tel],input[type=url],input[type=email],input[type=number],textarea";
/** They add nothing to a query. A submit button adds its name and value if it is the form's first one. */
const NO_FIELD = new Set(["button", "reset", "file", "image", "submit"]);
/** Fields of one form that count. */
const MAX_FIELDS = 200;
const MAX_TEXT = 80;

/** `encoding`: the page's, in which the resolver of its links encodes what is not ASCII. */
export function fillForms(document: HtmlDocument, fills: readonly FormFill[], encoding: string): FilledForms {
  const filled: FilledForms = { links: [], refused: [] };
  for (const { selector, values } of fills) {
    const done = new Set<FormElement>();
    for (const matched of selectElements(document, [selector]) as ReadonlySet<FormElement>) {
      const form = matched.localName === "form" ? matched : ownerOf(matched, document);
      if (form === null || done.has(form)) continue;
      const field = matched === form ? form.querySelector(TEXT_FIELD) : matched;
      if (field === null || !field.getAttribute("name")) continue;
      done.add(form);
      fillForm(form, field, values, document, encoding, filled);
    }
  }
  return filled;
}

function fillForm(
  form: FormElement,
  field: FormElement,
  values: readonly string[],
  document: HtmlDocument,
  encoding: string,
  filled: FilledForms,
): void {
  const fields = fieldsOf(form, document);
  const submit = fields.find(isSubmit);
  const method = submit?.getAttribute("formmethod") ?? form.getAttribute("method") ?? "get";
  const action = submit?.getAttribute("formaction") ?? form.getAttribute("action") ?? "";
  if (method.trim().toLowerCase() === "dialog") return;
  if (method.trim().toLowerCase() === "post") {
    filled.refused.push(action);
    return;
  }
  const charset = charsetOf(form) ?? encoding;
  const encode = charset === encoding ? null : queryEncoderOf(charset);
  const toHref = (query: string): string => {
    const href = `${action.trim().replace(/[?#][\s\S]*$/, "")}?${query}`;
    if (charset === encoding) return href;
    return encode === null ? href.replace(/[^\0-\x7f]+/g, encodeURIComponent) : encode(href);
  };
  for (const value of values) {
    const pairs = fields.flatMap((one): [string, string][] => {
      const name = one.getAttribute("name") ?? "";
      if (one === field) return [[name, value]];
      if (name === "_charset_" && one.getAttribute("type") === "hidden") return [[name, charset]];
      return name === "" || (isSubmit(one) && one !== submit) ? [] : valuesOf(one).map((own) => [name, own]);
    });
    const query = pairs.map(([name, own]) => `${escapeText(name)}=${escapeText(own)}`).join("&");
    const link = { href: toHref(query), kind: "form", nofollow: false, rel: "", place: "content" } as const;
    filled.links.push({ ...link, text: tidy(value, MAX_TEXT) });
  }
}

/** The form that a field names by its `form` attribute, or else stands in. */
function ownerOf(field: FormElement, document: HtmlDocument): FormElement | null {
  const id = field.getAttribute("form");
  if (id === null) return field.closest("form");
  return (document.all.find((element) => element.localName === "form" && element.getAttribute("id") === id) ??
    null) as FormElement | null;
}

function fieldsOf(form: FormElement, document: HtmlDocument): FormElement[] {
  const id = form.getAttribute("id");
  const own = [...form.querySelectorAll(FIELDS)].filter((field) => [null, id].includes(field.getAttribute("form")));
  const others =
    id === null
      ? []
      : (document.all as readonly FormElement[]).filter(
          (element) => element.getAttribute("form") === id && element.closest("form") !== form,
        );
  return [...own, ...others].filter((field) => !isDisabled(field)).slice(0, MAX_FIELDS);
}

function isDisabled(field: FormElement): boolean {
  return field.getAttribute("disabled") !== null || field.closest("fieldset[disabled]") !== null;
}

function typeOf(field: FormElement): string {
  const type = field.getAttribute("type")?.trim().toLowerCase();
  return type ?? (field.localName === "button" ? "submit" : "text");
}

function isSubmit(field: FormElement): boolean {
  const isButton = field.localName === "button" || field.localName === "input";
  return isButton && typeOf(field) === "submit";
}

/** What a field sends as it stands in the page. */
function valuesOf(field: FormElement): string[] {
  if (field.localName === "textarea") return [field.textContent];
  if (field.localName === "select") {
    const options = [...field.querySelectorAll("option")].filter((option) => option.getAttribute("disabled") === null);
    const selected = options.filter((option) => option.getAttribute("selected") !== null);
    if (field.getAttribute("multiple") !== null) return selected.map(optionValue);
    return [selected.at(-1) ?? options[0]].flatMap((option) => (option === undefined ? [] : [optionValue(option)]));
  }
  const type = typeOf(field);
  const value = field.getAttribute("value");
  if (isSubmit(field)) return [value ?? ""];
  if (type === "checkbox" || type === "radio") return field.getAttribute("checked") === null ? [] : [value ?? "on"];
  return NO_FIELD.has(type) || field.localName === "button" ? [] : [value ?? ""];
}

function optionValue(option: FormElement): string {
  return option.getAttribute("value") ?? option.textContent.trim().replace(/[\t\n\f\r ]+/g, " ");
}

/** The WHATWG name of the first charset that the form accepts; null if it names none. */
function charsetOf(form: FormElement): string | null {
  const [label = ""] = (form.getAttribute("accept-charset") ?? "").trim().split(/[\s,]+/);
  try {
    return label === "" ? null : new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

/**
 * What is not ASCII stays as it is: the encoding of the page follows.
 * https://url.spec.whatwg.org/#application-x-www-form-urlencoded-percent-encode-set
 */
function escapeText(text: string): string {
  return text
    .replace(/\r?\n|\r/g, "\r\n")
    .replace(/[\0-\x7f]/g, (char) =>
      /[\w*.-]/.test(char)
        ? char
        : char === " "
          ? "+"
          : `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
    );
}
