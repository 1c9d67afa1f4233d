// Porter's algorithm, as the search has it.
import { stemmer } from "stemmer";

/**
 * Which of a subject's words a term is a form of. A subject "printing" is meant by "print" and "printers", and in the
 * names of links by "printdialog".
 */

export interface WordForm {
  word: string;
  /** How much of a mention of the word it is, 0 to 1. */
  strength: number;
}

/** A form with another ending says a little less than the word itself. */
const STEM_STRENGTH = 0.9;
/** A word that is a part of another one counts by its share of it. In "latest" there is no test. */
const [PART_STRENGTH, MIN_BEGINNING, MIN_END] = [0.8, 4, 5];
/** The terms of an isolate's pages repeat. */
const MAX_KNOWN = 20_000;
const ENGLISH = /^[a-z]+$/;

export class WordForms {
  readonly #words: ReadonlySet<string>;
  readonly #stems: ReadonlyMap<string, string>;
  readonly #known = new Map<string, WordForm | null>();
  readonly #parts = new Map<string, WordForm | null>();

  constructor(words: Iterable<string>) {
    this.#words = new Set(words);
    this.#stems = new Map([...this.#words].filter((word) => ENGLISH.test(word)).map((word) => [stemmer(word), word]));
  }

  /** Null for a term that is no form of any word. */
  formOf(term: string): WordForm | null {
    return remember(this.#known, term, this.#findForm);
  }

  readonly #findForm = (term: string): WordForm | null => {
    if (this.#words.has(term)) return { word: term, strength: 1 };
    if (this.#stems.size === 0 || !ENGLISH.test(term)) return null;
    const word = this.#stems.get(stemmer(term));
    return word === undefined ? null : { word, strength: STEM_STRENGTH };
  };

  /** The same in names of links, where words are often joined. */
  formInName(term: string): WordForm | null {
    return remember(this.#parts, term, this.#findInName);
  }

  readonly #findInName = (term: string): WordForm | null => this.formOf(term) ?? this.#longestPart(term);

  #longestPart(term: string): WordForm | null {
    let best: WordForm | null = null;
    for (const [stem, word] of this.#stems) {
      const [short, long] = stem.length < term.length ? [stem, term] : [term, word];
      const isPart =
        (short.length >= MIN_BEGINNING && long.startsWith(short)) || (short.length >= MIN_END && long.endsWith(short));
      const strength = (PART_STRENGTH * short.length) / long.length;
      if (isPart && strength > (best?.strength ?? 0)) best = { word, strength };
    }
    return best;
  }
}

function remember<Value>(known: Map<string, Value>, key: string, find: (key: string) => Value): Value {
  const before = known.get(key);
  if (before !== undefined) return before;
  const value = find(key);
  if (known.size < MAX_KNOWN) known.set(key, value);
  return value;
}
