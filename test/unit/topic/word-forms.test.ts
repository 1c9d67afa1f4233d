import { expect, test } from "vitest";
import { WordForms } from "../../../src/topic/word-forms.ts";

const forms = new WordForms(["printing", "streamreader", "hook", "test", "art", "水獭"]);

test.each([
  ["printing", "printing 1"],
  ["print", "printing 0.9"],
  ["printed", "printing 0.9"],
  ["水獭", "水獭 1"],
  ["sprint", null],
  ["hooks", "hook 0.9"],
  ["githook", null],
])("in a text, %j is %s", (term, form) => expect(shown(forms.formOf(term))).toBe(form));

test.each([
  ["printdialog", "printing 0.36"],
  ["reader", "streamreader 0.4"],
  ["stream", "streamreader 0.4"],
  ["testing", "test 0.9"],
  ["testcase", "test 0.4"],
  // What ends like a word of four letters is another word.
  ["latest", null],
  ["artist", null],
  ["party", null],
])("in the name of a link, %j is %s", (term, form) => expect(shown(forms.formInName(term))).toBe(form));

function shown(form: { word: string; strength: number } | null): string | null {
  return form === null ? null : `${form.word} ${Number(form.strength.toFixed(2))}`;
}
