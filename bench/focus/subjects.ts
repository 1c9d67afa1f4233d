/**
 * Subjects of the bench, as people would ask for them. What is on a subject is known by where a page comes from, which
 * the crawler is not told.
 */
import type { Piece } from "./cut-pages.ts";

export interface Subject {
  name: string;
  /** Pages on it in the generated web, of 20,000. */
  pages: number;
  /** What the user writes after `--topic`; "" for none. */
  words: string;
  /** How many pages of it the user names by `--like`. */
  examples: number;
  isAbout: (piece: Pick<Piece, "manual" | "path">) => boolean;
  /** The crawl starts far away from it. */
  isFar?: boolean;
}

const of =
  (...names: string[]) =>
  ({ manual }: Pick<Piece, "manual">) =>
    names.includes(manual);
const part =
  (name: string, path: RegExp) =>
  (piece: Pick<Piece, "manual" | "path">): boolean =>
    piece.manual === name && path.test(piece.path);

/** The constants of src/topic/ were chosen by these. */
export const TUNED: readonly Subject[] = [
  { name: "PostgreSQL", pages: 1_000, words: "PostgreSQL database", examples: 0, isAbout: of("postgresql") },
  { name: "CMake", pages: 600, words: "cmake", examples: 0, isAbout: of("cmake") },
  { name: "Octave", pages: 420, words: "Octave matrix computation", examples: 2, isAbout: of("octave"), isFar: true },
  {
    name: "mail servers",
    pages: 300,
    words: "mail transfer agent smtp delivery",
    examples: 0,
    isAbout: of("exim", "postfix"),
  },
  {
    name: "spreadsheets, in Chinese",
    pages: 250,
    words: "电子表格 单元格 函数",
    examples: 0,
    isAbout: part("office-zh", /text\/scalc\//),
  },
  { name: "group theory", pages: 180, words: "", examples: 3, isAbout: of("gap") },
  {
    name: "Apache, in Japanese",
    pages: 150,
    words: "Apache ウェブサーバ 設定 モジュール",
    examples: 0,
    isAbout: of("apache-ja"),
  },
  {
    name: "asyncio",
    pages: 100,
    words: "asyncio coroutines event loop",
    examples: 0,
    isAbout: part("python", /library\/asyncio/),
  },
  { name: "Vim", pages: 75, words: "text editor vim", examples: 2, isAbout: of("vim") },
  { name: "ray tracing", pages: 40, words: "POV-Ray ray tracing scenes", examples: 0, isAbout: of("povray") },
];

/** Looked at only afterwards. */
export const HELD_OUT: readonly Subject[] = [
  { name: "Django", pages: 850, words: "Django web framework", examples: 0, isAbout: of("django") },
  {
    name: "music notation",
    pages: 700,
    words: "music notation typesetting",
    examples: 0,
    isAbout: of("lilypond"),
    isFar: true,
  },
  { name: "anarchism", pages: 500, words: "anarchism", examples: 0, isAbout: of("anarchism") },
  { name: "SQLite", pages: 350, words: "", examples: 3, isAbout: of("sqlite") },
  {
    name: "image editing, in Japanese",
    pages: 210,
    words: "画像編集 レイヤー フィルター",
    examples: 0,
    isAbout: of("gimp-ja"),
  },
  { name: "image editing, in Chinese", pages: 125, words: "图像 图层 滤镜", examples: 2, isAbout: of("gimp-zh") },
  { name: "Git", pages: 105, words: "git version control commits branches", examples: 2, isAbout: of("git") },
  { name: "Prolog", pages: 90, words: "logic programming in Prolog", examples: 0, isAbout: of("prolog") },
  {
    name: "DNS servers",
    pages: 65,
    words: "DNS name server zones DNSSEC",
    examples: 0,
    isAbout: of("bind"),
  },
  { name: "circuit boards", pages: 47, words: "", examples: 3, isAbout: of("kicad-en") },
];

/** Subjects whose words a link farm repeats. */
export const FARMED: readonly Subject[] = [...TUNED, ...HELD_OUT].filter(({ name }) =>
  ["anarchism", "mail servers"].includes(name),
);
