/**
 * Pages of which no element and no class name tells what is navigation: what repeats is known by comparison alone. A
 * program for manuals made them, so the model that cuts other pages does not look at them.
 */

const SENTENCES = [
  "Members of the society may borrow two volumes for three weeks, and renew them once if nobody else has asked.",
  "Our reading room is open from Tuesday to Saturday, and guests are welcome after they have signed the book.",
  "Letters to the editor reach us by post, and those that are printed become a part of the archive.",
];
const MENU = ["Catalogue of volumes", "News from the society", "How to become a member", "Rooms and opening hours"];
const NOTICE = "Reproduction of texts and plates needs the consent of the society, which is seldom refused to schools.";

export interface PlainPage {
  html: string;
  /** Paragraphs that no other page has. */
  own: readonly string[];
}

/** The same pages for the same numbers. A page has a menu, two notes, own paragraphs, code, a table and a notice. */
export function plainPages(count: number, paragraphs = 6): PlainPage[] {
  return Array.from({ length: count }, (_, page) => {
    const own = Array.from({ length: paragraphs }, (_, at) => paragraph(page * paragraphs + at));
    const name = (part: number) => `x${((page * 31 + part * 17) % 97).toString(36)}`;
    const box = (part: number, inner: string) => `<div class="${name(part)}">${inner}</div>`;
    const html = `<!doctype html><html lang="en"><head><title>Entry ${wordsOf(page, 3)}</title><meta name="generator" content="Sphinx"></head><body>
      ${box(1, MENU.map((text) => `<div><a href="/${text.length}">${text}</a></div>`).join(""))}
      ${box(2, `<p>${SENTENCES[0]}</p><p>${SENTENCES[1]}</p>`)}
      ${box(
        3,
        `<h2>Entry ${wordsOf(page, 3)}</h2>${own.map((text) => `<p>${text}</p>`).join("")}
        <h3>Source</h3><pre>open {\n  ${wordsOf(page + 7_000, 4)}\n}</pre>
        <table><tr><th>Shelf</th><th>Keeper</th></tr><tr><td>${wordsOf(page + 9_000, 2)}</td><td>Weaver</td></tr></table>`,
      )}
      ${box(4, `<h3>For our readers</h3><p>${SENTENCES[2]}</p>`)}
      ${box(5, `<p>${NOTICE}</p>`)}</body></html>`;
    return { html, own };
  });
}

function paragraph(number: number): string {
  const length = 25 + (number % 17);
  return `${wordsOf(number * 131 + 5, length)}.`;
}

const SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split(" ");

/** Words that follow from the number. */
function wordsOf(number: number, count: number): string {
  let state = (number + 1) * 2_654_435_761;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return SYLLABLES[(state >>> 16) % SYLLABLES.length] ?? "";
  };
  return Array.from({ length: count }, () => next() + next() + next()).join(" ");
}
