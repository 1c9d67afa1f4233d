/**
 * Texts that are ours alone. What a site wrote has the type `string`, and does not compile here: it goes between marks
 * (foreign-text.ts).
 */

declare const ownWords: unique symbol;
export type Own = string & { readonly [ownWords]: true };

/** A number, a text of ours, or a word from a closed list. */
type OwnValue<T> = T extends number | Own ? T : string extends T ? never : T;

/** A sentence of ours. A value of the type `string` is refused by the compiler. */
export function own<const T extends readonly (string | number)[]>(
  parts: TemplateStringsArray,
  ...values: T & { [K in keyof T]: OwnValue<T[K]> }
): Own {
  return String.raw({ raw: parts }, ...values) as Own;
}

/** A time, a status or an id as answers have them: one short word. Nothing else passes. */
export function word(text: string): Own {
  return (/^[\w.:+-]{1,64}$/.test(text) ? text : "?") as Own;
}

/** A cursor: one word of any length, in characters that spell no text. */
export function cursorWord(text: string): Own {
  return (/^[\w.-]*$/.test(text) ? text : "?") as Own;
}

/** The parts that say something, in one text. */
export function joinOwn(parts: readonly Own[], separator: "\n" | " " | ", "): Own {
  return parts.filter((part) => part !== "").join(separator) as Own;
}

export const NOTHING = own``;

/** A name from a closed list, as words: "cancelled by user". */
export function spaced<T extends string>(name: string extends T ? never : T): Own {
  return name.replaceAll("_", " ") as Own;
}

export function countOf(number: number, noun: Own): Own {
  return own`${number} ${noun}${number === 1 ? "" : "s"}`;
}
