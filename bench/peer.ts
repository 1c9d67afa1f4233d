/** A crawler as the bench sees it: a Node program that crawls one site into one directory and says what it did. */

export interface Peer {
  name: string;
  /** Arguments for node, from the root of this repository, and environment variables beside the bench's own. */
  command(url: string, stateDir: string): { args: string[]; env: Record<string, string> };
  /** Whose memory is measured: the executable, anywhere in the program's process tree. */
  executable: string;
  /** How many page bodies lie in the state directory, for a peer whose word alone should not be taken. */
  countBodies?(stateDir: string): Promise<number>;
}
