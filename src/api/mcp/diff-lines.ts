import type { DiffLineView, DiffView } from "../views.ts";
import { oneLine } from "./foreign-text.ts";

/** A difference of two versions as lines that begin with `+`, `-` or a space. */

export function diffLines({ title, canonical, hunks }: Pick<DiffView, "title" | "canonical" | "hunks">): string[] {
  return [
    ...(title === null ? [] : [`- title: ${oneLine(title.before ?? "")}`, `+ title: ${oneLine(title.after ?? "")}`]),
    ...(canonical === null ? [] : [`- canonical: ${canonical.before ?? ""}`, `+ canonical: ${canonical.after ?? ""}`]),
    ...hunks.flatMap(({ under, lines }) => [`@@ ${under.map(oneLine).join(" > ")}`, ...lines.flatMap(linesOf)]),
  ];
}

/** The first hunks that together have at most `most` characters, and always one. */
export function firstHunks(hunks: DiffView["hunks"], most: number): DiffView["hunks"] {
  let length = 0;
  const end = hunks.findIndex((hunk, i) => {
    length += JSON.stringify(hunk).length;
    return i > 0 && length > most;
  });
  return end === -1 ? hunks : hunks.slice(0, end);
}

const SIGNS = { same: " ", added: "+", removed: "-" } as const;

function linesOf(line: DiffLineView): string[] {
  if (line.kind !== "modified") return [`${SIGNS[line.kind]} ${oneLine(line.text)}`];
  const side = (left: "added" | "removed") =>
    oneLine(
      line.parts
        .filter(({ kind }) => kind === "same" || kind === left)
        .map(({ text }) => text)
        .join(""),
    );
  return [`- ${side("removed")}`, `+ ${side("added")}`];
}
