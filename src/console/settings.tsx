import type { FC } from "hono/jsx";
import type { CrawlDetail } from "../api/views.ts";
import { fieldGroups } from "./crawl-fields.ts";
import { formLike } from "./crawl-form-data.ts";
import { isChanged } from "./new-crawl-form.tsx";
import { count, plural } from "./numbers.tsx";
import { Pairs } from "./pairs.tsx";

/** What a crawl was asked to do, as far as that is not what any crawl does, by the names that the form for a crawl has. */

interface SettingsProps {
  crawl: CrawlDetail;
  mayAct: boolean;
  /** The installation's own. */
  userAgent: string;
}

export const Settings: FC<SettingsProps> = ({ crawl, mayAct, userAgent }) => {
  const { urls, limit } = crawl.options;
  const filled = formLike(crawl, userAgent);
  const changed = fieldGroups()
    .flatMap(({ fields }) => fields)
    .filter((field) => field.name !== "urls" && isChanged(field, filled));
  const own = changed.map(({ name, label, kind }) => {
    const value = filled[name] ?? [];
    return [label, kind === "switch" ? (value.length > 0 ? "Yes" : "No") : value.join(", ") || "None"] as const;
  });
  return (
    <details class="panel group">
      <summary>
        <h2>Settings</h2>
        <span class="muted small">
          {plural(urls.length, "seed")}, at most {plural(limit, "page")}
          {own.length > 0 && `, ${count(own.length)} changed`}
        </span>
      </summary>
      <Pairs
        of={{
          [urls.length === 1 ? "Seed" : "Seeds"]: urls.join("\n"),
          "Most pages": count(limit),
          ...Object.fromEntries(own),
        }}
      />
      <p class="muted small">Everything else is as by default.</p>
      {mayAct && (
        <p class="last">
          <a class="button" href={`/crawls/new?from=${crawl.id}`}>
            Start another with these settings
          </a>
        </p>
      )}
    </details>
  );
};
