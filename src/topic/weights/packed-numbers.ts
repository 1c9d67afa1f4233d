/** Lists of whole numbers as text: four characters of base64 for each number of 24 bits. */

/** Throws RangeError for what is no whole number from 0 to 2 ** 24 - 1. */
export function packNumbers(numbers: readonly number[]): string {
  const bytes = new Uint8Array(numbers.length * 3);
  for (const [i, number] of numbers.entries()) {
    if (!Number.isInteger(number) || number < 0 || number > 0xffffff)
      throw new RangeError(`${number} is no whole number of 24 bits`);
    bytes[i * 3] = number >>> 16;
    bytes[i * 3 + 1] = number >>> 8;
    bytes[i * 3 + 2] = number;
  }
  return Buffer.from(bytes).toString("base64");
}

/** What is no such text gives no numbers, or other ones. */
export function unpackNumbers(text: string): number[] {
  const bytes = Buffer.from(text, "base64");
  const numbers: number[] = [];
  for (let at = 0; at + 2 < bytes.length; at += 3) numbers.push(bytes.readUIntBE(at, 3));
  return numbers;
}
