/**
 * Times that are told from now: "5 hours ago", "gestern", "3日前". The clock alone makes them others, so a page that
 * changes only in them says the same.
 */

/** The languages of nearly all pages of the web. https://w3techs.com/technologies/overview/content_language */
const LANGUAGES =
  "en ar bg ca cs da de el es et fa fi fr he hi hr hu id it ja ko lt lv ms nb nl pl pt ro ru sk sl sr sv th tr uk vi zh " +
  "zh-Hant";
const UNITS = ["second", "minute", "hour", "day", "week", "month", "year"] as const;
const STYLES = ["long", "short", "narrow"] as const;
/** Together they have all plural forms that a language has for whole numbers. */
const AMOUNTS = [1, 2, 5, 21];
/** For one of a unit, and for the last seconds, for which Intl knows only "now": that says something else elsewhere. */
const WITHOUT_NUMBER =
  "just now|moments ago|(?:an?|one|a few|few|some) (?:moment|second|minute|hour|day|week|month|year)s? ago|gerade eben|" +
  "eben gerade|vor eine[rm] (?:sekunde|minute|stunde|tag|woche|monat|jahr)|à l'instant|il y a une? (?:seconde|minute|" +
  "heure|jour|semaine|mois|an)|ahora mismo|hace una? (?:momento|segundo|minuto|hora|día|semana|mes|año)|agora mesmo|" +
  "há uma? (?:segundo|minuto|hora|dia|semana|mês|ano)|proprio ora|poco fa|zojuist|just nu|lige nu|akkurat nå|juuri nyt|" +
  "только что|щойно|przed chwilą|právě teď|az önce|たった今|刚刚|剛剛|방금";
/** Characters after a number that are tried. */
const MAX_AFTER = 20;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
/** These stand beside words without a space. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u;
/** The one form of all of them. */
const MASK = "0";

interface Forms {
  /** For what may stand after a number, what may stand before it then. */
  after: ReadonlyMap<string, ReadonlySet<string>>;
  /** The first characters of the former, without a space. */
  begins: ReadonlySet<string>;
  words: RegExp;
}

let forms: Forms | null = null;

/** Writes all relative times of a folded text as a number, which is the same for all. */
export function maskRelativeTimes(folded: string): string {
  forms ??= readForms();
  const masked = maskNumbered(folded, forms);
  const lower = lowerOf(masked);
  let text = "";
  let from = 0;
  for (const { 0: found, index } of lower.matchAll(forms.words)) {
    if (!isWhole(lower, index, index + found.length)) continue;
    text += masked.slice(from, index) + MASK;
    from = index + found.length;
  }
  return from === 0 ? masked : text + masked.slice(from);
}

function maskNumbered(folded: string, { after, begins }: Forms): string {
  const lower = lowerOf(folded);
  let text = "";
  let from = 0;
  for (const { 0: digits, index } of lower.matchAll(/\d+/g)) {
    const start = index + digits.length;
    if (digits.length > 4 || !begins.has(lower[lower[start] === " " ? start + 1 : start] ?? "")) continue;
    for (let end = Math.min(lower.length, start + MAX_AFTER); end > start; end--) {
      const before = [...(after.get(lower.slice(start, end)) ?? [])].find(
        (one) => index - one.length >= from && lower.startsWith(one, index - one.length),
      );
      if (before === undefined || !isWhole(lower, index - before.length, end)) continue;
      text += folded.slice(from, index - before.length) + MASK;
      from = end;
      break;
    }
  }
  return from === 0 ? folded : text + folded.slice(from);
}

/** In lower case, unless that has another length: a Turkish capital becomes two characters. */
function lowerOf(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

/** Whether what stands there is no part of longer words. */
function isWhole(text: string, start: number, end: number): boolean {
  const isSplit = (at: number) => [text[at - 1] ?? " ", text[at] ?? " "].every((sign) => LETTER_OR_DIGIT.test(sign));
  return (
    (!isSplit(start) || UNSPACED.test(text[start] ?? "") || UNSPACED.test(text[start - 1] ?? "")) &&
    (!isSplit(end) || UNSPACED.test(text[end - 1] ?? ""))
  );
}

function readForms(): Forms {
  const after = new Map<string, Set<string>>();
  const words = new Set<string>();
  for (const language of LANGUAGES.split(" "))
    for (const style of STYLES) {
      // Other digits are not masked anywhere.
      const always = new Intl.RelativeTimeFormat(`${language}-u-nu-latn`, { style });
      const auto = new Intl.RelativeTimeFormat(language, { style, numeric: "auto" });
      for (const amount of [0, 1, 2]) {
        const parts = auto.formatToParts(-amount, "day");
        if (parts.every(({ type, value }) => type === "literal" && !/\d/.test(value))) words.add(joined(parts));
      }
      for (const unit of UNITS)
        for (const amount of AMOUNTS) {
          const parts = always.formatToParts(-amount, unit);
          const at = parts.findIndex(({ type }) => type === "integer");
          const [head, tail] = [joined(parts.slice(0, at)), joined(parts.slice(at + 1))];
          // "-5 h" is a number with a unit, too.
          if (at === -1 || /^[-\u2212]|\($/.test(head)) continue;
          for (const one of [tail, tail.trimStart(), ` ${tail.trimStart()}`])
            after.set(one, (after.get(one) ?? new Set()).add(head));
        }
    }
  const longestFirst = [...words].sort((one, other) => other.length - one.length);
  const escaped = longestFirst.map((word) => word.replace(/[.()\\]/g, "\\$&"));
  return {
    after,
    begins: new Set([...after.keys()].map((tail) => tail.trimStart()[0] ?? "")),
    words: new RegExp([WITHOUT_NUMBER, ...escaped].join("|"), "g"),
  };
}

/** Folded as a page's text is. */
function joined(parts: readonly { value: string }[]): string {
  const text = parts.map(({ value }) => value).join("");
  return text.toLowerCase().replaceAll("\u2019", "'").replace(/\s+/g, " ");
}
