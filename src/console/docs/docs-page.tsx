import { Hono } from "hono";
import { raw } from "hono/html";
import type { FC } from "hono/jsx";
import { openapi } from "../../api/docs/openapi.ts";
import { REFUSED } from "../../api/requests/operation.ts";
import { plural } from "../../core/shown-values.ts";
import { Bare, Heading, render } from "../layout.tsx";
import type { Console } from "../page-context.ts";
import { Submit } from "../parts/controls.tsx";
import { Inline } from "./inline-markdown.tsx";
import { findSections, type SectionGroup } from "./reference.tsx";
import { DOCS_PATH } from "./route-section.tsx";

/** /docs: the reference of the API, made of the list of its operations. It needs no token and no script. */

export const docsPageRoutes = new Hono<Console>();

/** Longer searches are cut: everybody may send one. */
const MAX_QUERY = 100;

docsPageRoutes.get(DOCS_PATH, (c) => {
  const q = (c.req.query("q") ?? "").trim().slice(0, MAX_QUERY);
  const { origin } = new URL(c.req.url);
  const groups = findSections(q);
  const found = groups.reduce((sum, { sections }) => sum + sections.length, 0);
  return render(
    c,
    <Bare title="API" scripts={["docs.js"]} styles={["docs.css"]}>
      <Heading title="The HTTP API" />
      <form class="find" method="get" action={DOCS_PATH}>
        <label class="visually-hidden" for="find">
          Find routes and shapes by words
        </label>
        <input id="find" name="q" type="search" value={q} placeholder="Words, such as export or webhook" />
        <Submit>Find</Submit>
        {q !== "" && (
          <a class="button" href={DOCS_PATH}>
            Clear
          </a>
        )}
      </form>
      {q === "" ? (
        <Introduction origin={origin} />
      ) : (
        <p class="notice" role="status">
          {found === 0 ? "Nothing" : plural(found, "section")} with “{q}”.
        </p>
      )}
      <Contents groups={groups} isOpen={q !== ""} />
      {q === "" && <Refusals />}
      {groups.map((group) => (
        <section class="routes">
          <h2 id={group.anchor}>{group.title}</h2>
          <p class="muted">
            <Inline text={group.text} base={DOCS_PATH} />
          </p>
          {group.sections.map(({ html }) => raw(html.replaceAll("$ADDRESS", origin)))}
        </section>
      ))}
    </Bare>,
  );
});

const Introduction: FC<{ origin: string }> = ({ origin }) => (
  <section class="panel">
    <p>
      <Inline text={openapi().info.description} base={DOCS_PATH} />
    </p>
    <p>
      A request body is JSON with at most 1 MiB. Unknown keys are refused. An answer is{" "}
      <code>{'{"success": true, "result": ...}'}</code> unless its route says otherwise. Times are ISO 8601 in UTC. In
      the examples, <code>$TOKEN</code> is the token of this installation, {origin}, and <code>$ID</code> the id of a
      crawl or a schedule.
    </p>
    <p>
      <a href="/openapi.json">/openapi.json</a> describes the API for programs, such as those that make clients and
      those that send requests.
    </p>
  </section>
);

const Contents: FC<{ groups: readonly SectionGroup[]; isOpen: boolean }> = ({ groups, isOpen }) => (
  <nav class="contents" aria-label="Contents">
    {groups.map(({ title, sections }) => (
      <details class="panel group" open={isOpen}>
        <summary>
          <strong>{title}</strong>
          <span class="muted small">{sections.length}</span>
        </summary>
        <ul>
          {sections.map(({ anchor, route, summary }) => (
            <li>
              <a href={`#${anchor}`}>{summary === "" ? route : summary}</a>
              {summary !== "" && <code class="muted small">{route}</code>}
            </li>
          ))}
        </ul>
      </details>
    ))}
  </nav>
);

const Refusals: FC = () => (
  <details class="panel group" id="refusals">
    <summary>
      <strong>Refusals</strong>
      <span class="muted small">Statuses and codes of requests that are refused</span>
    </summary>
    <p>
      The answer to a refused request is a <a href={`${DOCS_PATH}#failure`}>Failure</a>, with one of these codes:
    </p>
    <dl class="schema">
      {Object.entries(REFUSED).map(([status, { codes, says }]) => (
        <div>
          <dt>
            {status} <code>{codes.join(", ")}</code>
          </dt>
          <dd>
            <Inline text={says} base={DOCS_PATH} />
          </dd>
        </div>
      ))}
    </dl>
  </details>
);
