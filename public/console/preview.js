// Shows what a crawl would take while its form is filled in: the server makes the preview, of the form as it stands.

import { localizeTimes } from "./page.js";

const WAIT_MS = 500;

const form = document.querySelector("form[data-preview]");
let waiting = 0;
let asked = 0;

async function show() {
  if (!(form instanceof HTMLFormElement)) return;
  clearTimeout(waiting);
  const mine = ++asked;
  const url = form.querySelector("#url");
  if (!(url instanceof HTMLInputElement) || url.value.trim() === "") return;
  const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  const place = document.getElementById("preview");
  place?.setAttribute("aria-busy", "true");
  try {
    const response = await fetch("/crawls/new/preview", { method: "POST", body });
    if (response.redirected || !response.ok) throw new Error(String(response.status));
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    if (mine !== asked) return;
    const made = fresh.getElementById("preview");
    if (made === null || place === null) return;
    localizeTimes(made);
    keepOpen(place, made);
    place.replaceChildren(...made.childNodes);
    showProblems(fresh);
  } catch {
    if (mine === asked && place !== null) place.textContent = "This could not be asked just now. Try once more.";
  } finally {
    if (mine === asked) place?.removeAttribute("aria-busy");
  }
}

/**
 * What somebody has unfolded stays so, where the new preview has it too.
 * @param {Element} old
 * @param {Element} made
 */
function keepOpen(old, made) {
  const open = new Set([...old.querySelectorAll("details[open] > summary")].map((summary) => summary.textContent));
  for (const summary of made.querySelectorAll("details > summary"))
    if (open.has(summary.textContent)) summary.parentElement?.setAttribute("open", "");
}

/**
 * What the server finds wrong, beside its field.
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

function later() {
  clearTimeout(waiting);
  waiting = setTimeout(show, WAIT_MS);
}

// A seed that is half typed would have some other host asked for its robots.txt: it counts when it is left.
form?.addEventListener("change", later);
form?.addEventListener("input", (event) => {
  if (event.target instanceof HTMLTextAreaElement && event.target.name !== "urls") later();
});
form?.querySelector("[formaction]")?.addEventListener("click", (event) => {
  event.preventDefault();
  show();
});
// Enter in this field asks; elsewhere it starts the crawl.
form?.querySelector("#try")?.addEventListener("keydown", (event) => {
  if (!(event instanceof KeyboardEvent) || event.key !== "Enter") return;
  event.preventDefault();
  show();
});
show();
