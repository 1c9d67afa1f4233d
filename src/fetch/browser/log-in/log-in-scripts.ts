/** The scripts of a log-in. They run in a world of their own, as those of action-scripts.ts. */

const SHARED = `
  const everywhere = (selector, root = document) => {
    const found = [...root.querySelectorAll(selector)];
    if (found.length > 0) return found;
    for (const element of root.querySelectorAll("*"))
      if (element.shadowRoot !== null) found.push(...everywhere(selector, element.shadowRoot));
    return found;
  };
  const isShown = (element) => element.getClientRects().length > 0 && getComputedStyle(element).visibility === "visible";
  const isUsable = (element) => isShown(element) && !element.matches(":disabled") && element.getAttribute("aria-disabled") !== "true";
`;

const scripted = (body: string) => `(async () => { ${SHARED} ${body} })()`;

/** Whether an element matches, or a text stands in the page. */
export const hasElement = (selector: string) => scripted(`return everywhere(${JSON.stringify(selector)}).length > 0;`);
export const hasText = (text: string) =>
  scripted(`const bare = (words) => words.replace(/\\s+/g, " ").toLowerCase();
    return bare(document.body?.innerText ?? "").includes(bare(${JSON.stringify(text)}));`);

/**
 * Fills in the first field in sight. Resolves with "filled", "none" if there is no such field, or "no-field" for an
 * element that takes no text. Scripts of the page hear it as typed.
 */
export const fillField = (selector: string, value: string) =>
  scripted(`const element = everywhere(${JSON.stringify(selector)}).find(isUsable);
    if (element === undefined) return "none";
    const kinds = [HTMLInputElement, HTMLTextAreaElement, HTMLSelectElement];
    const kind = kinds.find((each) => element instanceof each);
    if (kind === undefined || ["checkbox", "radio", "file", "submit", "button"].includes(element.type)) return "no-field";
    element.focus();
    Object.getOwnPropertyDescriptor(kind.prototype, "value").set.call(element, ${JSON.stringify(value)});
    for (const name of ["input", "change"]) element.dispatchEvent(new Event(name, { bubbles: true, composed: true }));
    return "filled";`);

/** Clicks the first element in sight. Resolves with whether there was one. */
export const clickElement = (selector: string) =>
  scripted(`const element = everywhere(${JSON.stringify(selector)}).find(isUsable);
    if (element === undefined) return false;
    element.closest("[target]")?.removeAttribute("target");
    element.scrollIntoView({ block: "center", behavior: "instant" });
    if (typeof element.click === "function") element.click();
    else element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, composed: true }));
    return true;`);

/** Names and attributes of fields for one-time codes, and of captchas. */
const CODE = [
  'input[autocomplete~="one-time-code"]',
  ...[
    "otp",
    "totp",
    "2fa",
    "mfa",
    "two_factor",
    "two-factor",
    "twofactor",
    "verification_code",
    "one_time",
    "onetime",
  ].flatMap((word) => [`input[name*="${word}" i]`, `input[id*="${word}" i]`]),
].join(", ");
const CAPTCHA = [
  ".g-recaptcha",
  ".h-captcha",
  ".cf-turnstile",
  'iframe[src*="captcha" i]',
  'iframe[src*="challenges.cloudflare.com"]',
  'img[src*="captcha" i]',
  'input[name*="captcha" i]:not([type="hidden"])',
].join(", ");

/** What the page is, and what only a person could give it: `{href, title, asks}`. */
export const DESCRIBE = scripted(`const isThere = (selector) => everywhere(selector).some(isShown);
  const asks = isThere(${JSON.stringify(CODE)}) ? "code" : isThere(${JSON.stringify(CAPTCHA)}) ? "captcha" : null;
  return { href: location.href.slice(0, 2048), title: document.title.slice(0, 200), asks };`);
