import type { Page } from "playwright-core";

/**
 * Does what leads to another page, such as a click on a link or on the button of a form. Resolves when that page has
 * loaded. A wait for a text is not enough: the page before may have it already, or its scripts may show it while the
 * form is still being sent, and then the page that loads takes away what was typed and focused.
 */
export async function loadBy(page: Page, act: () => Promise<unknown>): Promise<void> {
  await Promise.all([page.waitForEvent("load"), act()]);
}
