import type { FormattedRecordView } from "../../api/views.ts";
import type { Options, Values } from "../../crawl/options/option-table.ts";

/** The types that come from the tables. The package has them in full (scripts/library-types.ts). */

type Given<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]?: Given<T[K]> | undefined } : T;

/** The body of `POST /api/crawls` without its seeds. */
export interface CrawlRequest extends Given<Omit<Values<Options>, "url" | "urls" | "formats">> {
  formats?: readonly Values<Options>["formats"][number][] | undefined;
}

export type Page = FormattedRecordView;
