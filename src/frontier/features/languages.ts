import type { Feature } from "./feature.ts";

/** Pages of the languages that the crawl keeps, and the languages in which it asks for them. */
export const languages: Feature<"languages" | "byLanguage"> = {
  facts: ({ language }) => ({ language }),
  wants({ context }) {
    const { languages, preferLanguages } = context.crawl.options;
    return { languages, byLanguage: languages.length + preferLanguages.length > 0 };
  },
};
