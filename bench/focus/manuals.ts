/** The manuals whose texts make the webs of bench/focus.ts, and the packages of Debian that have them. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

export interface Manual {
  /** Its name in subjects. */
  name: string;
  /** Debian's package. */
  of: string;
  /** Below /usr/share. */
  folder: string;
  /** The files that are read, by their paths in the folder. */
  files: RegExp;
  /** Files in other languages, or of other manuals. */
  without?: RegExp;
}

const HTML = /\.html?$/;

export const MANUALS: readonly Manual[] = [
  { name: "git", of: "git-doc", folder: "doc/git-doc", files: HTML },
  {
    name: "python",
    of: "python3.11-doc",
    folder: "doc/python3.11/html",
    files: HTML,
    without: /genindex|search\.html/,
  },
  {
    name: "postgresql",
    of: "postgresql-doc-15",
    folder: "doc/postgresql-doc-15/html",
    files: HTML,
    without: /^release-|bookindex/,
  },
  { name: "octave", of: "octave-doc", folder: "doc/octave/octave.html", files: HTML, without: /^(?:index-|XREF)/ },
  {
    name: "maxima",
    of: "maxima-doc",
    folder: "doc/maxima-doc/html",
    files: HTML,
    without: /_(?:de|pt|es|ja)|\/(?:de|pt|es|ja)|^(?:de|pt|es|ja)/,
  },
  { name: "sqlite", of: "sqlite3-doc", folder: "doc/sqlite3", files: HTML, without: /^releaselog\// },
  { name: "zsh", of: "zsh-doc", folder: "doc/zsh-common/html", files: HTML },
  { name: "gimp-en", of: "gimp-help-en", folder: "gimp/2.0/help/en", files: HTML },
  { name: "gimp-ja", of: "gimp-help-ja", folder: "gimp/2.0/help/ja", files: HTML },
  { name: "gimp-zh", of: "gimp-help-zh-cn", folder: "gimp/2.0/help/zh_CN", files: HTML },
  { name: "office-en", of: "libreoffice-help-en-us", folder: "libreoffice/help/en-US", files: HTML },
  { name: "office-ja", of: "libreoffice-help-ja", folder: "libreoffice/help/ja", files: HTML },
  { name: "office-zh", of: "libreoffice-help-zh-cn", folder: "libreoffice/help/zh-CN", files: HTML },
  { name: "apache", of: "apache2-doc", folder: "doc/apache2-doc/manual", files: /\.html\.en$|^en\/.*\.html$/ },
  {
    name: "apache-ja",
    of: "apache2-doc",
    folder: "doc/apache2-doc/manual",
    files: /\.html\.ja[\w.-]*$|^ja\/.*\.html$/,
  },
  {
    name: "apache-fr",
    of: "apache2-doc",
    folder: "doc/apache2-doc/manual",
    files: /\.html\.fr[\w.-]*$|^fr\/.*\.html$/,
  },
  { name: "vim", of: "vim-doc", folder: "doc/vim/html", files: HTML },
  {
    name: "sqlalchemy",
    of: "python-sqlalchemy-doc",
    folder: "doc/python-sqlalchemy-doc/html",
    files: HTML,
    without: /genindex|changelog/,
  },
  {
    name: "django",
    of: "python-django-doc",
    folder: "doc/python-django-doc/html",
    files: HTML,
    without: /genindex|releases\//,
  },
  { name: "postfix", of: "postfix-doc", folder: "doc/postfix/html", files: HTML },
  { name: "exim", of: "exim4-doc-html", folder: "doc/exim4-doc-html/spec_html", files: HTML },
  { name: "bind", of: "bind9-doc", folder: "doc/bind9-doc/arm", files: HTML, without: /genindex/ },
  { name: "anarchism", of: "anarchism", folder: "doc/anarchism/html", files: HTML },
  { name: "debmake", of: "debmake-doc", folder: "doc/debmake-doc/html", files: /\.en\.html$/ },
  { name: "povray", of: "povray-doc", folder: "doc/povray/html", files: HTML },
  { name: "cmake", of: "cmake-doc", folder: "doc/cmake-data/html", files: HTML, without: /^release\/|genindex/ },
  { name: "gap", of: "gap-doc", folder: "gap/doc", files: HTML, without: /_mj\.html/ },
  { name: "prolog", of: "swi-prolog-doc", folder: "swi-prolog/doc", files: HTML },
  {
    name: "lilypond",
    of: "lilypond-doc-html",
    folder: "doc/lilypond/html/Documentation",
    files: /^(?:notation|learning|music-glossary|usage|extending|essay)\/[\w-]+\.html$/,
  },
  { name: "ada", of: "ada-reference-manual-2012", folder: "doc/ada-reference-manual-2012/arm2012.html", files: HTML },
  { name: "policy", of: "debian-policy", folder: "doc/debian-policy/policy.html", files: HTML },
  { name: "history", of: "debian-history", folder: "doc/debian-history/docs", files: /\.en\.html$/ },
  { name: "r", of: "r-doc-html", folder: "R/doc/manual", files: HTML },
  { name: "reference-en", of: "debian-reference-en", folder: "debian-reference", files: /\.en\.html$/ },
  { name: "reference-ja", of: "debian-reference-ja", folder: "debian-reference", files: /\.ja\.html$/ },
  { name: "reference-zh", of: "debian-reference-zh-cn", folder: "debian-reference", files: /\.zh-cn\.html$/ },
  { name: "kicad-en", of: "kicad-doc-en", folder: "doc/kicad/help/en", files: HTML },
  { name: "kicad-ja", of: "kicad-doc-ja", folder: "doc/kicad/help/ja", files: HTML },
  ...["en-US", "ja-JP", "zh-CN", "de-DE", "fr-FR", "ru-RU", "es-ES", "ar-MA", "ko-KR"].map((language) => ({
    name: `handbook-${language.slice(0, 2)}`,
    of: "debian-handbook",
    folder: `doc/debian-handbook/html/${language}`,
    files: HTML,
  })),
  ...["en", "ja", "zh_CN", "de", "it", "pt", "vi"].map((language) => ({
    name: `installation-${language.slice(0, 2)}`,
    of: "installation-guide-amd64",
    folder: `doc/installation-guide-amd64/${language}`,
    files: HTML,
  })),
];

/** The folder of each manual that is there. `root`: the folder that holds `usr`. */
export function findManuals(root: string): { found: (Manual & { path: string })[]; missing: Manual[] } {
  const placed = MANUALS.map((manual) => ({ ...manual, path: join(root, "usr/share", manual.folder) }));
  const found = placed.filter((manual) => existsSync(manual.path) && filesOf(manual).length > 0);
  return { found, missing: placed.filter((manual) => !found.includes(manual)) };
}

/** The paths of its files, sorted. */
export function filesOf({ path, files, without }: Manual & { path: string }): string[] {
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((file) => files.test(file) && without?.test(file) !== true)
    .toSorted();
}
