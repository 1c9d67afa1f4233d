/** A crawler in the bench: a Node program that crawls one site to one directory and prints its result. */

export interface Peer {
  name: string;
  /** Arguments for node, relative to `folder`, and additional environment variables. */
  command(url: string, stateDir: string): { args: string[]; env: Record<string, string> };
  /** The root of another checkout, with its packages; absent for this one. */
  folder?: string;
  /** The executable, anywhere in the program's process tree, whose memory is measured. */
  executable: string;
  /** Counts the page bodies in the state directory, to verify the peer's own count. */
  countBodies?(stateDir: string): Promise<number>;
}
