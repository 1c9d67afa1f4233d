import type { FC } from "hono/jsx";
import type { ExplainView } from "../../api/views.ts";
import { REASONS } from "../../crawl/page/reason.ts";
import { EXPLAIN_STEPS } from "../../crawl/report/explanation.ts";
import { sentence } from "../parts/numbers.tsx";

/** The decision on a URL, step by step, and the reasons of records. */

const REASON_TEXTS: Record<string, readonly [status: string, text: string, consequences?: unknown] | undefined> =
  REASONS;

export function reasonText(reason: string): string {
  return sentence(REASON_TEXTS[reason]?.[1] ?? reason);
}

export function isErrorReason(reason: string): boolean {
  return REASON_TEXTS[reason]?.[0] === "errored";
}

const isAccepted = ({ verdict }: ExplainView) => ["would be fetched", "completed", "queued", "wait"].includes(verdict);

export const Verdict: FC<{ of: ExplainView }> = ({ of }) => (
  <span class="status" data-status={isAccepted(of) ? "completed" : "refused"}>
    {of.verdict.charAt(0).toUpperCase() + of.verdict.slice(1)}
  </span>
);

export const Steps: FC<{ of: ExplainView }> = ({ of }) => (
  <ol class="steps">
    {of.steps.map(({ step, ok, rule, detail }) => (
      <li data-ok={ok ? "yes" : "no"}>
        <span class="step">{EXPLAIN_STEPS[step]}</span>
        <span>
          <span class="visually-hidden">{ok ? "passes: " : "refuses: "}</span>
          <span class="url">{detail}</span> <code class="muted">{rule}</code>
        </span>
      </li>
    ))}
  </ol>
);

/** A list of URLs with their verdicts. Each unfolds to its steps. */
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
