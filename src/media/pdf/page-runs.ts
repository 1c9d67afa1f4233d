import type { PdfPage } from "./pdf-engine.ts";

/** Reads the text of a page as runs: pieces of text in one font, each with its place. */

export interface Run {
  text: string;
  /** Along the direction of its writing and across it, in points; `across` grows towards earlier lines. */
  along: number;
  across: number;
  width: number;
  /** Of the font, in points. */
  size: number;
  /** In degrees; most runs have 0. */
  angle: number;
  isRightToLeft: boolean;
  /** False in Chinese, Japanese and Korean, where most fonts are. */
  isMonospaced: boolean;
  /** Marked by the document itself as no content: a running head, a page number, a watermark. */
  isArtifact: boolean;
  /** Whether white space stands before it. */
  isSpaced: boolean;
  /** Parts of its text that are links, in order. */
  links: RunLink[];
}

/** A part of a run's text that is a link. */
interface RunLink {
  from: number;
  to: number;
  href: string;
}

interface PageRuns {
  runs: Run[];
  /** UTF-16 code units of all runs. */
  length: number;
  /** Whether the limit of runs was reached. */
  isCut: boolean;
}

/** What pdf.js says about a font. */
interface Style {
  fontFamily: string;
  vertical: boolean;
}

/** A dense page has 5,000. */
const MAX_RUNS = 50_000;
/** A full page of small print has 15,000. */
const MAX_LENGTH = 500_000;
const EAST_ASIAN = /[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]/;
const DOTS = /^[\s.]+$/;
const LEADER = /(?:\.\s*){4,}/g;
/** Ligatures, and the shapes that Arabic letters take within a word. */
const COMPATIBILITY = /[\ufb00-\ufdff\ufe70-\ufefc]/;
const ALL_COMPATIBILITY = new RegExp(COMPATIBILITY.source, "g");
/** Levels of marked content. Deeper ones are counted and not looked at. */
const MAX_MARKS = 1_000;

/** `mostLength`: of what may still be read of the document. */
export async function readRuns(page: PdfPage, mostLength: number): Promise<PageRuns> {
  const runs: Run[] = [];
  const marks: boolean[] = [];
  const styles = new Map<string, Style>();
  let deeper = 0;
  let artifacts = 0;
  let length = 0;
  let isSpaced = false;
  const most = Math.min(MAX_LENGTH, mostLength);
  // In chunks, because a page may have millions of texts.
  const reader = page.streamTextContent({ includeMarkedContent: true }).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      for (const run of runs) run.text = run.text.replace(LEADER, "… ");
      return { runs, length, isCut: false };
    }
    // A chunk has the styles that no earlier one had.
    for (const [name, style] of Object.entries(value.styles as Record<string, Style>)) styles.set(name, style);
    for (const item of value.items) {
      if ("type" in item) {
        if (item.type === "endMarkedContent") {
          if (deeper > 0) deeper -= 1;
          else if (marks.pop() === true) artifacts -= 1;
        } else if (marks.length >= MAX_MARKS) deeper += 1;
        else {
          const isArtifact = item.tag === "Artifact";
          marks.push(isArtifact);
          if (isArtifact) artifacts += 1;
        }
        continue;
      }
      if (item.str.trim() === "") {
        isSpaced = true;
        continue;
      }
      const last = runs.at(-1);
      if (last !== undefined && continuesDots(last, item)) {
        last.text += item.str;
        last.width = Math.max(last.width, (item.transform[4] as number) + item.width - last.along);
        continue;
      }
      const [a, b, c, d, x, y] = item.transform as [number, number, number, number, number, number];
      const style = styles.get(item.fontName);
      const angle = Math.round((Math.atan2(b, a) * 180) / Math.PI);
      const size = Math.hypot(c, d) || Math.hypot(a, b) || 1;
      const run: Run = {
        text: settleText(item.str),
        along: angle === 0 ? x : x * Math.cos(radians(angle)) + y * Math.sin(radians(angle)),
        across: angle === 0 ? y : y * Math.cos(radians(angle)) - x * Math.sin(radians(angle)),
        width: style?.vertical === true ? size : item.width,
        size,
        angle,
        isRightToLeft: item.dir === "rtl",
        isMonospaced: style?.fontFamily === "monospace" && !EAST_ASIAN.test(item.str),
        isArtifact: artifacts > 0,
        isSpaced: isSpaced || /^\s/.test(item.str),
        links: [],
      };
      isSpaced = item.hasEOL || /\s$/.test(item.str);
      length += run.text.length;
      if (runs.length >= MAX_RUNS || length > most) {
        // pdf.js takes no other reason than an error.
        await reader.cancel(new Error("the page has too much text"));
        return { runs, length, isCut: true };
      }
      runs.push(run);
    }
  }
}

/** Programs draw the dots between a heading and its page's number one by one. */
function continuesDots(last: Run, { str, transform }: { str: string; transform: readonly number[] }): boolean {
  return last.angle === 0 && DOTS.test(str) && DOTS.test(last.text) && transform[5] === last.across;
}

function settleText(text: string): string {
  return COMPATIBILITY.test(text) ? text.replace(ALL_COMPATIBILITY, (letter) => letter.normalize("NFKC")) : text;
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
