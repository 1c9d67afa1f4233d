import { escapeHtml } from "../html/tree/write-html.ts";
import { htmlOf, joinOf } from "./line-text.ts";
import type { PlacedHeadings } from "./outline.ts";
import type { Line } from "./page-lines.ts";
import { continuesIn, isMonospaced, type Paragraph, paragraphsOf } from "./paragraphs.ts";

/** Writes the text of a document as HTML, page after page. */

const BULLET = /^[•●○◦▪■□‣⁃]\s*/u;
/** The content of a page keeps 100,000 elements (copy-document.ts), and its tree 500,000 nodes. */
const MAX_ELEMENTS = 95_000;
/** Spaces that a line of code is indented by. */
const MAX_INDENT = 40;

export class BodyWriter {
  #written: string[] = [];
  #elements = 0;
  #isInList = false;
  /** The last paragraph, which may go on over the page's end. */
  #last: Paragraph | null = null;

  get isFull(): boolean {
    return this.#elements >= MAX_ELEMENTS;
  }

  /** `lines`: of one page, without what is left out. */
  addPage(lines: readonly Line[], { placed, unplaced }: PlacedHeadings): void {
    let isFirst = true;
    const waiting = [...unplaced];
    for (const paragraph of paragraphsOf(lines, placed)) {
      for (const { heading } of takeBefore(waiting, paragraph))
        this.#writeHeading(heading.level, escapeHtml(heading.title));
      this.#add(paragraph, isFirst);
      isFirst = false;
    }
    for (const { heading } of waiting) this.#writeHeading(heading.level, escapeHtml(heading.title));
  }

  end(): string {
    this.#flush();
    this.#closeList();
    return this.#written.join("");
  }

  #add(paragraph: Paragraph, isFirstOfPage: boolean): void {
    const last = this.#last;
    const [first] = paragraph.lines;
    const above = last?.lines.at(-1);
    if (last !== null && first !== undefined && above !== undefined) {
      const isMoved = isFirstOfPage || first.across > above.across;
      if (isMoved && continuesIn(last, paragraph)) {
        last.joins.push(joinOf(above, first), ...paragraph.joins);
        last.lines.push(...paragraph.lines);
        last.margin = paragraph.margin;
        return;
      }
    }
    this.#flush();
    this.#last = paragraph;
  }

  #flush(): void {
    const paragraph = this.#last;
    this.#last = null;
    if (paragraph === null) return;
    const { lines, joins, level } = paragraph;
    const [first] = lines;
    if (level === null && first !== undefined && isMonospaced(first)) {
      this.#write(`<pre>${codeOf(lines)}</pre>`, 1);
      return;
    }
    const html = lines.map((line, at) => htmlOf(line, joins[at] ?? "none")).join("");
    if (level !== null) this.#writeHeading(level, html.replaceAll("<br>", " "));
    else if (BULLET.test(html)) {
      if (!this.#isInList) this.#written.push("<ul>");
      this.#isInList = true;
      this.#written.push(`<li>${html.replace(BULLET, "")}</li>`);
      this.#elements += 2 + joins.length;
    } else this.#write(`<p>${html}</p>`, 1 + joins.length);
  }

  #writeHeading(level: number, html: string): void {
    this.#flush();
    this.#write(`<h${level}>${html}</h${level}>`, 1);
  }

  #write(html: string, elements: number): void {
    this.#closeList();
    this.#written.push(html);
    this.#elements += elements;
  }

  #closeList(): void {
    if (this.#isInList) this.#written.push("</ul>");
    this.#isInList = false;
  }
}

/** Takes from `waiting` the headings that stand before the paragraph or within it. */
function takeBefore(waiting: PlacedHeadings["unplaced"], { lines }: Paragraph): PlacedHeadings["unplaced"] {
  const taken: PlacedHeadings["unplaced"] = [];
  while (waiting[0]?.before && lines.includes(waiting[0].before)) taken.push(...waiting.splice(0, 1));
  return taken;
}

/** The columns of code follow from the width of its letters. */
function codeOf(lines: readonly Line[]): string {
  const left = Math.min(...lines.map(({ start }) => start));
  return lines
    .map((line) => {
      const [run] = line.runs;
      const letter = run === undefined ? 0 : run.width / Math.max(1, run.text.length);
      const indent = letter > 0 ? Math.round((line.start - left) / letter) : 0;
      return " ".repeat(Math.min(MAX_INDENT, Math.max(0, indent))) + htmlOf(line, "none");
    })
    .join("\n");
}
