/** Encodes text in the legacy encodings of TextDecoder, by inverting its tables. */

const tables = new Map<string, Map<string, number[]>>();

/** Throws for a character that the encoding lacks. Supports one and two bytes per character, so not all of GB18030. */
export function encode(text: string, label: string): Uint8Array {
  if (label === "utf-8") return new TextEncoder().encode(text);
  if (label === "utf-16le" || label === "utf-16be") return utf16(text, label === "utf-16be");
  const table = tables.get(label) ?? invert(label);
  tables.set(label, table);
  return Uint8Array.from(
    Array.from(text).flatMap((char) => {
      const bytes = table.get(char);
      if (bytes === undefined) throw new Error(`${label} has no ${char}`);
      return bytes;
    }),
  );
}

function invert(label: string): Map<string, number[]> {
  const decoder = new TextDecoder(label, { fatal: true });
  const table = new Map<string, number[]>();
  const addCharacter = (...bytes: number[]) => {
    try {
      const text = decoder.decode(Uint8Array.from(bytes));
      if (Array.from(text).length === 1 && !table.has(text)) table.set(text, bytes);
    } catch {
      // No character has these bytes.
    }
  };
  for (let one = 0; one < 256; one++) addCharacter(one);
  for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) addCharacter(lead, trail);
  return table;
}

function utf16(text: string, bigEndian: boolean): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < text.length; i++) view.setUint16(i * 2, text.charCodeAt(i), !bigEndian);
  return bytes;
}
