import type { FC } from "hono/jsx";
import type { CrawlDetail } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";
import { crawlFields } from "../new-crawl/crawl-fields.ts";
import { formFromCrawl, type OwnDefaults } from "../new-crawl/crawl-form-data.ts";
import { isChanged } from "../new-crawl/new-crawl-form.tsx";
import { Pairs } from "./pairs.tsx";

/** A crawl's settings that differ from the defaults, with the labels of the crawl form. */

interface SettingsProps {
  crawl: CrawlDetail;
  mayAct: boolean;
  own: OwnDefaults;
}

export const Settings: FC<SettingsProps> = ({ crawl, mayAct, own }) => {
  const { urls, limit } = crawl.options;
  const values = formFromCrawl(crawl, own);
  const changed = crawlFields().filter((field) => field.name !== "urls" && isChanged(field, values));
  const pairs = changed.map(({ name, label, kind }) => {
    const value = values[name] ?? [];
    return [label, kind === "switch" ? (value.length > 0 ? "Yes" : "No") : value.join(", ") || "None"] as const;
  });
  return (
    <details class="panel group">
      <summary>
        <h2>Settings</h2>
        <span class="muted small">
          {plural(urls.length, "seed")}, page limit {count(limit)}
          {pairs.length > 0 && `, ${count(pairs.length)} changed`}
        </span>
      </summary>
      <Pairs
        of={{
          [urls.length === 1 ? "Seed" : "Seeds"]: urls.join("\n"),
          "Page limit": count(limit),
          ...Object.fromEntries(pairs),
        }}
      />
      <p class="muted small">All other settings have their default.</p>
      {mayAct && (
        <p class="last">
          <a class="button" href={`/crawls/new?from=${crawl.id}`}>
            Start a crawl with these settings
          </a>
        </p>
      )}
    </details>
  );
};
