import { startHandmadeSite } from "./handmade-site.ts";
import type { Site } from "./site.ts";

/** A web of three hosts: one on otters in rivers, one off that subject, and one that leads to both. */

export interface OtterWeb {
  start: Site;
  otters: Site;
  invoices: Site;
}

/** A page with prose, which leads to three others of its site. */
function article(title: string, sentence: string, n: number, most: number): string {
  const links = [3 * n - 1, 3 * n, 3 * n + 1].filter((next) => next > n && next <= most);
  const list = links.map((next) => `<li><a href="/p${next}">Part ${next}</a> of all that is written here</li>`);
  const body = Array.from({ length: 6 }, (_, i) => `<p>${sentence} This is paragraph ${i + 1} of part ${n}.</p>`);
  return `<!doctype html><html lang="en"><title>${title} ${n}</title><main><h1>${title} ${n}</h1>${body.join("")}<ul>${list.join("")}</ul></main>`;
}

const pagesOf = (title: string, sentence: string, most: number) =>
  Object.fromEntries(Array.from({ length: most }, (_, i) => [`/p${i + 1}`, article(title, sentence, i + 1, most)]));

const OTTERS =
  "Otters rest on the banks of rivers between two hunts, and whoever walks along the water sees their tracks. Nobody has counted how many live there, because they sleep by day and move on after a week or two.";
const INVOICES = "The bank pays an invoice when the month ends, and sends a statement.";

/** The numbers are those of the pages on the subject and off it. The hosts are 127.0.7.20 and the two after it. */
export async function startOtterWeb(pages: { otters: number; invoices: number }): Promise<OtterWeb> {
  const otters = await startHandmadeSite(pagesOf("Otters in rivers", OTTERS, pages.otters), { host: "127.0.7.21" });
  const invoices = await startHandmadeSite(pagesOf("Invoices of banks", INVOICES, pages.invoices), {
    host: "127.0.7.22",
  });
  const links = [`${invoices.origin}/p1`, `${otters.origin}/p1`].map((url) => `<li><a href="${url}">More</a></li>`);
  const start = await startHandmadeSite(
    { "/": `<!doctype html><title>Start</title><h1>Start</h1><ul>${links.join("")}</ul>` },
    { host: "127.0.7.20" },
  );
  return { start, otters, invoices };
}
