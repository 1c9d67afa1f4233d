// Updates the scope preview while the crawl form is filled in. The server renders it from the form's values.

import { localizeTimes } from "./page.js";

const WAIT_MS = 500;

const form = document.querySelector("form[data-preview]");
let timer = 0;
let latest = 0;

async function updatePreview() {
  if (!(form instanceof HTMLFormElement)) return;
  clearTimeout(timer);
  const request = ++latest;
  const url = form.querySelector("#url");
  if (!(url instanceof HTMLInputElement) || url.value.trim() === "") return;
  const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  const preview = document.getElementById("preview");
  preview?.setAttribute("aria-busy", "true");
  try {
    const response = await fetch("/crawls/new/preview", { method: "POST", body });
    if (response.redirected || !response.ok) throw new Error(String(response.status));
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    if (request !== latest) return;
    const rendered = fresh.getElementById("preview");
    if (rendered === null || preview === null) return;
    localizeTimes(rendered);
    keepOpen(preview, rendered);
    preview.replaceChildren(...rendered.childNodes);
    showProblems(fresh);
  } catch {
    if (request === latest && preview !== null) preview.textContent = "The test failed. Try again.";
  } finally {
    if (request === latest) preview?.removeAttribute("aria-busy");
  }
}

/**
 * Keeps details unfolded that the reader has unfolded, if the new preview has them too.
 * @param {Element} old
 * @param {Element} rendered
 */
function keepOpen(old, rendered) {
  const open = new Set([...old.querySelectorAll("details[open] > summary")].map((summary) => summary.textContent));
  for (const summary of rendered.querySelectorAll("details > summary"))
    if (open.has(summary.textContent)) summary.parentElement?.setAttribute("open", "");
}

/**
 * Shows the problems that the server found beside their fields.
 * @param {Document} fresh
 */
function showProblems(fresh) {
  for (const old of form?.querySelectorAll("p.problem") ?? []) old.remove();
  for (const field of form?.querySelectorAll("[aria-invalid]") ?? []) field.removeAttribute("aria-invalid");
  for (const problem of fresh.querySelectorAll("form p.problem")) {
    const field = document.getElementById(problem.id.replace(/-problem$/, ""));
    field?.setAttribute("aria-invalid", "true");
    field?.setAttribute("aria-describedby", `${problem.id} ${field.id}-help`);
    if (field instanceof HTMLFieldSetElement) field.append(problem);
    else field?.after(problem);
  }
}

function updateSoon() {
  clearTimeout(timer);
  timer = setTimeout(updatePreview, WAIT_MS);
}

// Seeds update on change, not on input: a half-typed seed would fetch the robots.txt of some other host.
form?.addEventListener("change", updateSoon);
form?.addEventListener("input", (event) => {
  if (event.target instanceof HTMLTextAreaElement && event.target.name !== "urls") updateSoon();
});
form?.querySelector("[formaction]")?.addEventListener("click", (event) => {
  event.preventDefault();
  updatePreview();
});
// Enter in this field tests the URLs; elsewhere it starts the crawl.
form?.querySelector("#try")?.addEventListener("keydown", (event) => {
  if (!(event instanceof KeyboardEvent) || event.key !== "Enter") return;
  event.preventDefault();
  updatePreview();
});
updatePreview();
