import { flag, lines, text } from "./option.ts";

/** What a crawl may read behind a log-in, and as whom. */
export const SESSION_OPTIONS = {
  session: text("--session <name>", {
    label: "Session",
    example: "wiki",
    sentence:
      "Name of a session that `orbweaver session add` has stored: its cookies and headers go to its own hosts, and to no other.",
    inJson: "Empty: none.",
    see: "sessions.md",
  }),
  signedIn: text("--signed-in <mark>", {
    label: "Signed in",
    example: "a.log-out",
    sentence:
      "How a page looks with the session: a CSS selector, `text=WORDS`, or a URL that answers only with it. Where it lacks, nothing is stored, and the crawl pauses until the session is brought again.",
    inJson: "Empty: as the session says.",
    see: "sessions.md#signed-out",
  }),
  allowActions: lines("--allow-action <pattern>", {
    label: "Actions that may be done",
    example: "/tickets/*/close",
    sentence:
      "Patterns of links that are followed with a session although they look as if they changed something, such as a log-out, a deletion or an order. The others are refused, reason `action`.",
    see: "sessions.md#what-is-not-followed",
  }),
  shared: flag("--shared", false, {
    label: "Share what the session reads",
    sentence:
      "Let read-only tokens, agents, feeds and the search index see what is read with a session. Without it, they are told of no such crawl.",
    see: "sessions.md#who-sees-it",
  }),
};
