/** The names of months in the languages that the platform knows: https://tc39.es/ecma402/#datetimeformat-objects */

const ENGLISH = "january february march april may june july august september october november december".split(" ");
/** Languages to try for a page that names none, or another one than that of its date. */
const OTHERS = ["de", "fr", "es", "it", "pt", "nl", "sv", "da", "nb", "fi", "pl", "cs", "ru", "uk", "tr", "ro", "hu"];
const MARKS = /\p{M}/gu;

const namesByLanguage = new Map<string, ReadonlyMap<string, number>>();

/** 1 to 12; 0 for a word that is no month. `language`: a BCP 47 tag. */
export function monthNumber(word: string, language: string | null): number {
  const name = fold(word);
  const english = name.length < 3 ? 0 : ENGLISH.findIndex((month) => month.startsWith(name)) + 1;
  if (english > 0) return english;
  const [own = ""] = /^[a-z]{2,3}(?![a-z])/i.exec(language ?? "") ?? [];
  const known = own === "" ? [] : Intl.DateTimeFormat.supportedLocalesOf([own]);
  for (const one of [...known, ...OTHERS]) {
    const month = namesOf(one).get(name);
    if (month !== undefined) return month;
  }
  return 0;
}

/** Some languages have another form of the name beside a day, and in full and in short. */
function namesOf(language: string): ReadonlyMap<string, number> {
  const known = namesByLanguage.get(language);
  if (known !== undefined) return known;
  const names = new Map<string, number>();
  for (const month of ["long", "short"] as const)
    for (const day of [{}, { day: "numeric" }] as const) {
      const format = new Intl.DateTimeFormat(language, { month, ...day, calendar: "gregory", timeZone: "UTC" });
      for (let at = 0; at < 12; at++) {
        const written = format.formatToParts(Date.UTC(2024, at, 5)).find(({ type }) => type === "month")?.value ?? "";
        const name = fold(written);
        if (/^\p{L}{3,}$/u.test(name) && !names.has(name)) names.set(name, at + 1);
      }
    }
  namesByLanguage.set(language, names);
  return names;
}

function fold(word: string): string {
  return word.toLowerCase().normalize("NFD").replace(MARKS, "").replace(/\.$/, "");
}
