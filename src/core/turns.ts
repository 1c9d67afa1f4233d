/** Items of a long list that are worked on before others have their turn: some 20 ms of work. */
const TURN = 5_000;
/**
 * Real time of a turn of others, in milliseconds. On this machine workerd looks for requests only while no work is
 * ready, and a request takes several looks.
 */
const REST_MS = 5;

/** Lets the other work of an isolate have its turn, such as its answers. */
export function letOthersWork(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, REST_MS));
}

/**
 * Does something with each item of a list, in order. Others have a turn after every TURN items: what one page brings
 * must not stop them.
 */
export async function inTurns<T>(items: readonly T[], act: (item: T) => void): Promise<void> {
  for (let at = 0; at < items.length; at += TURN) {
    if (at > 0) await letOthersWork();
    for (const item of items.slice(at, at + TURN)) act(item);
  }
}
