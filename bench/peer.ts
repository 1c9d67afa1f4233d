/** A crawler in the bench: a Node program that crawls one site to one directory and prints its result. */

export interface Peer {
  name: string;
  /** Arguments for node, relative to the root of this repository, and additional environment variables. */
  command(url: string, stateDir: string): { args: string[]; env: Record<string, string> };
  /** The executable, anywhere in the program's process tree, whose memory is measured. */
  executable: string;
  /** Counts the page bodies in the state directory, to verify the peer's own count. */
  countBodies?(stateDir: string): Promise<number>;
}
