/** The names of months and days, in lower case, in the languages of most pages that have a calendar. */

const LANGUAGES = ["en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "pl", "cs", "fi", "ru", "tr"];
let names: ReadonlySet<string> | null = null;

/** Made at the first use, which takes some milliseconds. */
export function calendarNames(): ReadonlySet<string> {
  if (names !== null) return names;
  const found = new Set<string>();
  for (const language of LANGUAGES) {
    for (const width of ["long", "short"] as const) {
      const month = new Intl.DateTimeFormat(language, { month: width, day: "numeric", timeZone: "UTC" });
      const day = new Intl.DateTimeFormat(language, { weekday: width, timeZone: "UTC" });
      for (let i = 0; i < 12; i++) {
        const dates = [
          month.format(new Date(Date.UTC(2024, i, 1))),
          day.format(new Date(Date.UTC(2024, 0, 1 + (i % 7)))),
        ];
        const words = dates.flatMap((date) => date.toLowerCase().match(/\p{L}[\p{L}\p{M}]*/gu) ?? []);
        for (const word of words) if (word.length > 1) found.add(word);
      }
    }
  }
  names = found;
  return names;
}
