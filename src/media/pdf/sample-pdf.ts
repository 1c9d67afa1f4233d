/**
 * A small document with what bounded-engine.ts looks for: a stream of each kind, and a font with its own characters.
 */

const IMAGE_FILTERS = ["DCTDecode", "JPXDecode", "JBIG2Decode", "CCITTFaxDecode"];

export function samplePdf(): Uint8Array {
  const contents = ["ASCIIHexDecode", ...IMAGE_FILTERS].map((filter) =>
    // `BT ET` in hexadecimal.
    streamOf(`/Filter/${filter}`, "4254204554>"),
  );
  const text = contents.length + 4;
  const references = contents.map((_, at) => `${at + 4} 0 R`).join(" ");
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<</Font<</F ${text + 1} 0 R>>>>/Contents[${references} ${text} 0 R]>>`,
    ...contents,
    streamOf("", "BT/F 1 Tf(a)Tj ET"),
    `<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode ${text + 2} 0 R>>`,
    streamOf("", "1 beginbfrange<61><61><0061>endbfrange"),
  ];
  let file = "%PDF-1.4\n";
  const offsets = objects.map((body, at) => {
    const offset = file.length;
    file += `${at + 1} 0 obj\n${body}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join("")}trailer\n<</Size ${size}/Root 1 0 R>>`;
  return new TextEncoder().encode(`${file}${table}\nstartxref\n${file.length}\n%%EOF\n`);
}

function streamOf(entries: string, data: string): string {
  return `<<${entries}/Length ${data.length}>>stream\n${data}\nendstream`;
}
