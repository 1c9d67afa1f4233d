import type { FC } from "hono/jsx";
import type { CrawlView, MarksView, RecordView } from "../../api/views.ts";
import { recordAddress } from "../parts/addresses.ts";
import { Submit } from "../parts/controls.tsx";

/** The forms with which people mark pages. They are posted to mark-pages.tsx, so they work without scripts. */

/** The form of a list. The check boxes of its rows belong to it by this name. */
const LIST_FORM = "mark";

interface ButtonsProps {
  marks: MarksView;
  isMarked: boolean;
}

const MarkButtons: FC<ButtonsProps> = ({ marks, isMarked }) => (
  <>
    <div class="actions">
      <Submit name="as" value="right">
        Right
      </Submit>
      <Submit name="as" value="wrong">
        Wrong
      </Submit>
    </div>
    <div class="field">
      <label for="mark-label">Another label</label>
      <input id="mark-label" name="label" type="text" maxlength={100} list="labels" autocomplete="off" />
      <datalist id="labels">
        {Object.keys(marks.labels).map((label) => (
          <option value={label} />
        ))}
      </datalist>
    </div>
    <div class="actions">
      <Submit name="as" value="label">
        Set label
      </Submit>
      {isMarked && (
        <Submit name="as" value="none">
          Remove mark
        </Submit>
      )}
    </div>
  </>
);

/** Marks the rows of a list that are ticked. `back`: the address of the list. */
export const MarkForm: FC<{ crawl: CrawlView; marks: MarksView; back: string }> = ({ crawl, marks, back }) => (
  <details class="panel marking">
    <summary>Mark ticked pages</summary>
    <form id={LIST_FORM} class="mark" method="post" action={`/crawls/${crawl.id}/marks`}>
      <input type="hidden" name="back" value={back} />
      <MarkButtons marks={marks} isMarked={Object.keys(marks.labels).length > 0} />
    </form>
  </details>
);

export const MarkBox: FC<{ record: Pick<RecordView, "url" | "title"> }> = ({ record: { url, title } }) => (
  <input type="checkbox" form={LIST_FORM} name="url" value={url} aria-label={`Mark ${title || url}`} />
);

interface PanelProps {
  crawl: CrawlView;
  record: RecordView;
  marks: MarksView;
  mayMark: boolean;
}

/** The mark of one page. */
export const MarkPanel: FC<PanelProps> = ({ crawl, record, marks, mayMark }) => {
  const mark = marks.marks[0]?.label;
  if (!mayMark && mark === undefined) return null;
  return (
    <section class="panel" id="marks">
      <h2>Mark</h2>
      <p>
        {mark === undefined ? (
          "Nobody has marked this page."
        ) : (
          <>
            Marked: <span class="tag">{mark}</span>
          </>
        )}{" "}
        <span class="muted small">
          A focused crawl learns from right and wrong. Marked pages can be the examples of{" "}
          <a href={`/crawls/${crawl.id}/labels`}>labels</a>.
        </span>
      </p>
      {mayMark && (
        <form class="mark" method="post" action={`/crawls/${crawl.id}/marks`}>
          <input type="hidden" name="back" value={`${recordAddress(crawl.id, record.url)}#marks`} />
          <input type="hidden" name="url" value={record.url} />
          <MarkButtons marks={marks} isMarked={mark !== undefined} />
        </form>
      )}
    </section>
  );
};

interface ChoiceProps {
  crawl: CrawlView;
  url: string;
  /** For screen readers. */
  name: string;
  /** Undefined if nobody has marked the page. */
  label: string | undefined;
}

/** Right or wrong, for a page in a list of the crawl's subject. */
export const MarkChoice: FC<ChoiceProps> = ({ crawl, url, name, label }) => (
  <form class="actions" method="post" action={`/crawls/${crawl.id}/marks`}>
    <input type="hidden" name="back" value={`/crawls/${crawl.id}/topic`} />
    <input type="hidden" name="url" value={url} />
    {["right", "wrong"].map((choice) => (
      <Submit
        name="as"
        value={label === choice ? "none" : choice}
        aria-pressed={label === choice}
        aria-label={`${choice}: ${name}`}
      >
        {choice === "right" ? "Right" : "Wrong"}
      </Submit>
    ))}
  </form>
);
