import type { FC } from "hono/jsx";
import type { CrawlView, RobotsView } from "../../api/views.ts";
import { count, duration } from "../../core/shown-values.ts";
import { Submit, UrlInput } from "../parts/controls.tsx";
import { Time } from "../parts/numbers.tsx";

/** A robots.txt as it was parsed, and its decision on a URL. */

/** Further rules are left out; the API returns all of them. */
const MAX_RULES = 200;

const STATES: Record<RobotsView["state"], string> = {
  read: "Read",
  "allow-all": "Not found",
  silent: "No answer",
  unreachable: "Unreachable",
  "given-up": "Given up",
  later: "Pending",
  own: "Not fetched",
  unread: "Not read",
};

export const RobotsPanel: FC<{ crawl: CrawlView; robots: RobotsView; url: string }> = ({ crawl, robots, url }) => (
  <section class="panel robots" id="robots">
    <h2>
      robots.txt of <span class="url">{robots.origin.replace(/^https?:\/\//, "")}</span>
    </h2>
    <p>
      <span class="tag">{STATES[robots.state]}</span>{" "}
      <span class="muted small">
        {robots.fetchedAt !== null && (
          <>
            <Time at={robots.fetchedAt} />.{" "}
          </>
        )}
        {robots.sentence}
      </span>
    </p>
    <TestUrlForm crawl={crawl} origin={robots.origin} url={url} />
    {robots.decision !== null && (
      <div class="decision" role="status">
        <span class="status" data-status={robots.decision.allowed === true ? "completed" : "refused"}>
          {robots.decision.allowed === null ? "Unknown" : robots.decision.allowed ? "Allowed" : "Forbidden"}
        </span>
        <span>
          <span class="url">{robots.decision.url}</span>
          <span class="muted small sentence">{robots.decision.sentence}</span>
        </span>
      </div>
    )}
    {robots.groups.map((group) => (
      <section class="rules">
        <h3>
          {group.agents.map((agent) => (
            <code>{agent}</code>
          ))}{" "}
          {group.applies && <span class="tag">applies to {robots.agent}</span>}
        </h3>
        {group.rules.length === 0 && group.signals.length === 0 && <p class="muted small">No rules.</p>}
        {group.rules.length > 0 && (
          <pre tabindex={0}>
            {group.rules.slice(0, MAX_RULES).join("\n")}
            {group.rules.length > MAX_RULES && `\n… and ${count(group.rules.length - MAX_RULES)} more`}
          </pre>
        )}
        {group.signals.length > 0 && <p class="small">Content signals: {group.signals.join(", ")}</p>}
      </section>
    ))}
    {(robots.crawlDelays.length > 0 || robots.sitemaps.length > 0) && (
      <dl class="pairs">
        {robots.crawlDelays.map(({ agent, seconds }) => (
          <div>
            <dt>Crawl-delay for {agent}</dt>
            <dd>{duration(seconds)}</dd>
          </div>
        ))}
        {robots.sitemaps.slice(0, MAX_RULES).map((sitemap) => (
          <div>
            <dt>Sitemap</dt>
            <dd class="url">{sitemap}</dd>
          </div>
        ))}
      </dl>
    )}
  </section>
);

export const TestUrlForm: FC<{ crawl: CrawlView; origin: string; url: string }> = ({ crawl, origin, url }) => (
  <form class="try" method="get" action={`/crawls/${crawl.id}/hosts#robots`}>
    <input type="hidden" name="origin" value={origin} />
    <label for="try">Test a URL or path</label>
    <div class="with-button">
      <UrlInput id="try" name="url" value={url} placeholder="/some/page" required />
      <Submit>Test</Submit>
    </div>
  </form>
);
