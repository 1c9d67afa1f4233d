import type { AnswerResource, DrawRequest, SessionAnswer } from "../../src/fetch/browser/drawing.ts";
import { Places } from "../../src/fetch/browser/places.ts";

/** A browser session without a browser: it has the line of the real one, and a test says what a drawing does. */

export interface DrawnByModel {
  html: string;
  browserMs: number;
  isUnfinished?: boolean;
}

type Draw = (request: DrawRequest, answer: AnswerResource) => Promise<DrawnByModel>;

export type SessionBindings = Pick<Env, "BROWSER" | "BROWSER_SESSION">;

/** The bindings of an installation. `places`: those of its one browser. */
export function modelSession(draw: Draw, places: Pick<Places, "take" | "release"> = new Places(3)): SessionBindings {
  const session = {
    draw: async (request: DrawRequest, answer: AnswerResource): Promise<SessionAnswer> => {
      if (!(await places.take(request.patienceMs))) return { kind: "no-place" };
      try {
        const drawn = await draw(request, answer);
        return { kind: "drawn", ways: [], isUnfinished: false, done: null, billedMs: drawn.browserMs, ...drawn };
      } finally {
        places.release();
      }
    },
  };
  return {
    BROWSER: {},
    BROWSER_SESSION: { idFromName: (name: string) => name, get: () => session },
  } as unknown as SessionBindings;
}

/** A gateway that lets everything through. */
export const OPEN_GATEWAY = {
  enter: async () => ({ kind: "go" as const, headers: {}, mayBePrivate: true }),
  leave: async () => undefined,
  unarchived: async () => [],
};
