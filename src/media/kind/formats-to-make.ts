import type { ContentFormat, DocumentRequest } from "../document.ts";

/**
 * The formats to make of a text of `length` characters: all that are requested, or the text alone if the others come to
 * more than is kept. They have about the length of the text, or more.
 */
export function formatsToMake(
  {
    formats,
    mostCharacters = Number.POSITIVE_INFINITY,
  }: Pick<DocumentRequest, "mostCharacters"> & {
    formats: readonly ContentFormat[];
  },
  length: number,
): readonly ContentFormat[] {
  const others = formats.filter((format) => format !== "text");
  return others.length * length > mostCharacters ? formats.filter((format) => format === "text") : formats;
}
