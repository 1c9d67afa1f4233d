/** Items of a long list that are worked on before others have their turn: some 10 ms of work. */
const TURN = 5_000;

/**
 * Does something with each item of a list, in order. After every TURN items it lets the event loop go on: what one page
 * brings must not stop the other work of an isolate, such as its answers.
 */
export async function inTurns<T>(items: readonly T[], act: (item: T) => void): Promise<void> {
  for (let at = 0; at < items.length; at += TURN) {
    if (at > 0) await new Promise((resolve) => setTimeout(resolve, 0));
    for (const item of items.slice(at, at + TURN)) act(item);
  }
}
