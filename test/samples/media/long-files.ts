import { readFileSync } from "node:fs";

/** The samples, and longer files that are made of them. */

export function sample(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(`./${name}`, import.meta.url)));
}

export function join(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

export function latin1(written: string): Uint8Array {
  return Uint8Array.from(written, (char) => char.charCodeAt(0));
}

/** A box of an MP4. */
export function box(name: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const body = join(...parts);
  const head = new DataView(new ArrayBuffer(4));
  head.setUint32(0, body.byteLength + 8);
  return join(new Uint8Array(head.buffer), latin1(name), body);
}

/** The boxes of an MP4 at its top. */
export function boxesOf(file: Uint8Array): Map<string, Uint8Array> {
  const boxes = new Map<string, Uint8Array>();
  const view = new DataView(file.buffer, file.byteOffset);
  for (let at = 0; at < file.byteLength; at += view.getUint32(at)) {
    const name = String.fromCharCode(...file.subarray(at + 4, at + 8));
    boxes.set(name, file.subarray(at, at + view.getUint32(at)));
  }
  return boxes;
}

/** `tail.m4a` with so many bytes of sound: what describes it stands at the end. */
export function longSound(soundBytes: number): Uint8Array {
  const boxes = boxesOf(sample("tail.m4a"));
  const at = (name: string) => boxes.get(name) ?? new Uint8Array(0);
  return join(at("ftyp"), box("mdat", new Uint8Array(soundBytes)), at("moov"));
}
