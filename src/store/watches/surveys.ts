import type { Survey } from "../../crawl/watch/survey.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";

/** The survey of a watch that is complete, and the one that is being made. */
export interface SurveyState {
  done: Survey | null;
  /** `after`: the URL after which it goes on. */
  open: { survey: Survey; after: string } | null;
}

export class Surveys extends LedgerStore {
  async read(crawl: string): Promise<SurveyState> {
    const json = await this.value<string | null>("survey", "SELECT survey FROM crawls WHERE id = ?1", [crawl]);
    return json == null ? { done: null, open: null } : (JSON.parse(json) as SurveyState);
  }

  async write(crawl: string, state: SurveyState): Promise<void> {
    await this.run("UPDATE crawls SET survey = ?2 WHERE id = ?1", [crawl, JSON.stringify(state)]);
  }
}
