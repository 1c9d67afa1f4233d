import type { Reader } from "../document.ts";
import type { Signature } from "./sniff.ts";
import { OOXML } from "./zip-type.ts";

/** The rows of the table of kinds for documents that the reader Worker reads (src/reader.ts). */

/** Their readers are in heavy-readers.ts, which this Worker must not hold. */
const readElsewhere = async (): Promise<Reader> => {
  throw new Error("the reader Worker reads documents of this kind");
};

const HEAVY = { loadReader: readElsewhere, isHeavy: true, replay: "bytes", isPage: true } as const;
const ODF = "application/vnd.oasis.opendocument";

const PDF: Signature = ["application/pdf", [0, "%PDF-"]];
const RTF: Signature = ["application/rtf", [0, "{\\rtf"]];

export const HEAVY_KINDS = [
  {
    ...HEAVY,
    document: "pdf" as const,
    types: ["application/pdf", "application/x-pdf"],
    extensions: ["pdf"],
    signatures: [PDF],
  },
  {
    ...HEAVY,
    document: "office" as const,
    types: [
      `${OOXML}.wordprocessingml.document`,
      `${OOXML}.wordprocessingml.template`,
      "application/vnd.ms-word.document.macroenabled.12",
      "application/vnd.ms-word.template.macroenabled.12",
      `${OOXML}.spreadsheetml.sheet`,
      `${OOXML}.spreadsheetml.template`,
      "application/vnd.ms-excel.sheet.macroenabled.12",
      "application/vnd.ms-excel.template.macroenabled.12",
      `${OOXML}.presentationml.presentation`,
      `${OOXML}.presentationml.slideshow`,
      `${OOXML}.presentationml.template`,
      "application/vnd.ms-powerpoint.presentation.macroenabled.12",
      "application/vnd.ms-powerpoint.slideshow.macroenabled.12",
      "application/vnd.ms-powerpoint.template.macroenabled.12",
      `${ODF}.text`,
      `${ODF}.text-template`,
      `${ODF}.spreadsheet`,
      `${ODF}.spreadsheet-template`,
      `${ODF}.presentation`,
      `${ODF}.presentation-template`,
      "application/rtf",
      "text/rtf",
    ],
    extensions: [
      "docx docm dotx dotm xlsx xlsm xltx xltm pptx pptm ppsx ppsm potx potm",
      "odt ott ods ots odp otp rtf",
    ].flatMap((line) => line.split(" ")),
    signatures: [RTF],
  },
  { ...HEAVY, document: "epub" as const, types: ["application/epub+zip"], extensions: ["epub"] },
];
