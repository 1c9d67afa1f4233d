// What is used of the package, which has no types. Its binaries are in it:
// https://github.com/holepunchto/fs-native-extensions
declare module "fs-native-extensions" {
  /** Locks all of a file that is open for writing, until it is closed. False if another one has locked it. */
  export function tryLock(descriptor: number): boolean;
  /** The same, once nobody else has it locked. */
  export function waitForLockSync(descriptor: number): void;
}
