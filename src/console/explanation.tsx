import type { FC } from "hono/jsx";
import type { ExplainView } from "../api/views.ts";

/** What was, or would be, decided for a URL, step by step. */

const STEPS: Record<ExplainView["steps"][number]["step"], string> = {
  url: "URL",
  record: "Record",
  scope: "Scope",
  trap: "Traps",
  robots: "robots.txt",
  pace: "Pace",
};

const isTaken = ({ verdict }: ExplainView) => ["would be fetched", "completed", "queued", "wait"].includes(verdict);

export const Verdict: FC<{ of: ExplainView }> = ({ of }) => (
  <span class="status" data-status={isTaken(of) ? "completed" : "refused"}>
    {of.verdict.charAt(0).toUpperCase() + of.verdict.slice(1)}
  </span>
);

export const Steps: FC<{ of: ExplainView }> = ({ of }) => (
  <ol class="steps">
    {of.steps.map(({ step, ok, rule, detail }) => (
      <li data-ok={ok ? "yes" : "no"}>
        <span class="step">{STEPS[step]}</span>
        <span>
          <span class="visually-hidden">{ok ? "passes: " : "refuses: "}</span>
          <span class="url">{detail}</span> <code class="muted">{rule}</code>
        </span>
      </li>
    ))}
  </ol>
);

/** A table of several URLs, each with the way to its decision folded away. */
export const Explanations: FC<{ of: ExplainView[] }> = ({ of }) => (
  <ul class="explanations">
    {of.map((each) => (
      <li>
        <details>
          <summary>
            <Verdict of={each} />
            <span class="url">{each.url ?? each.asWritten}</span>
            <span class="muted small sentence">{each.sentence}</span>
          </summary>
          <Steps of={each} />
        </details>
      </li>
    ))}
  </ul>
);
