import { Draw, type Site } from "./page.ts";

/** The site with what changes at each request, beside what its pages say: a clock, a counter, times, tokens. */
export function noisySite(site: Site, seed: number): Site {
  const draw = new Draw(seed);
  let visits = draw.between(1_000, 90_000);
  return {
    ...site,
    name: `${site.name}, numbers that change`,
    page(path) {
      const html = site.page(path);
      if (html === null) return null;
      visits += draw.between(1, 3);
      const at = new Date(Date.UTC(2026, 10, 26, 23) + visits * 300);
      const changing = [
        `<p>This page was made for you in ${(draw.between(40, 900) / 1_000).toFixed(3)} s with ${draw.between(8, 30)} queries.</p>`,
        `<p>You are visitor ${visits}</p>`,
        `<p>${at.toLocaleString("en", { dateStyle: "full", timeStyle: "medium", timeZone: "UTC" })}</p>`,
        `<p>Request ${draw.below(2 ** 32).toString(16)}0 <img src="/hit.gif?r=${draw.below(1_000_000)}" alt=""></p>`,
      ];
      return html.replace("</footer>", `${changing.join("")}</footer>`);
    },
  };
}
