/** Thrown for a file that is no list of URLs. The message says what it looks like. */
export class UnreadableList extends Error {}
