import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, globSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";

/** Makes a folder of real documents: those that Debian packages hold, and manuals that LibreOffice converts. */

const PACKAGES: Readonly<Record<string, string>> = {
  "libreoffice-common":
    "usr/lib/libreoffice/share/template/common/{presnt/{Candy,Freshes,G*,Vintage,Yellow_Idea},personal/*,officorr/*,offimisc/*}.{ott,otp}",
  "r-cran-openxlsx": "usr/lib/R/site-library/openxlsx/extdata/*.xlsx",
  "r-cran-readxl": "usr/lib/R/site-library/readxl/extdata/*.xlsx",
  "r-cran-rio": "usr/lib/R/site-library/rio/examples/*.{ods,csv}",
  "r-cran-officer": "usr/lib/R/site-library/officer/doc_examples/*.{docx,pptx}",
  "r-cran-readr": "usr/lib/R/site-library/readr/extdata/*.csv",
  "developers-reference": "usr/share/developers-reference/*.epub",
  "debian-policy": "usr/share/doc/debian-policy/*.epub",
  "git-doc": "usr/share/doc/git-doc/{git-rebase,gitattributes,user-manual,git-log,gittutorial}.html",
  "debian-handbook":
    "usr/share/doc/debian-handbook/html/en-US/{advanced-administration,basic-configuration,sect.installation-steps}.html",
};
const HTML = "HTML (StarWriter)";
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  odt: ["git-rebase", "user-manual", "advanced-administration", "basic-configuration", "sect.installation-steps"],
  "docx:MS Word 2007 XML": [
    "gitattributes",
    "git-log",
    "user-manual",
    "advanced-administration",
    "basic-configuration",
  ],
  "rtf:Rich Text Format": ["gittutorial", "git-rebase", "advanced-administration", "sect.installation-steps"],
};

/** Returns the folder of the documents. Downloads and converts nothing that is there already. */
export function makeOfficeCorpus(folder: string): string {
  const documents = join(folder, "documents");
  const pages = join(folder, "pages");
  const debs = join(folder, "debs");
  for (const path of [documents, pages, debs]) mkdirSync(path, { recursive: true });
  for (const [name, pattern] of Object.entries(PACKAGES)) {
    const unpacked = join(folder, name);
    if (!existsSync(unpacked)) {
      execFileSync("apt-get", ["download", name], { cwd: debs, stdio: "ignore" });
      const [deb = ""] = globSync(`${debs}/${name}_*.deb`);
      execFileSync("dpkg", ["-x", deb, unpacked]);
    }
    for (const path of globSync(`${unpacked}/${pattern}`))
      copyFileSync(path, join(path.endsWith(".html") ? pages : documents, basename(path)));
  }
  for (const [format, names] of Object.entries(FORMATS)) {
    const made = names.filter((name) => !existsSync(join(documents, `${name}.${format.replace(/:.*/, "")}`)));
    convert(
      made.map((name) => join(pages, `${name}.html`)),
      format,
      documents,
      folder,
      [`--infilter=${HTML}`],
    );
  }
  convert(globSync(`${documents}/{Candy,Yellow_Idea,Grey_Elegant}.otp`), "pptx", documents, folder);
  convert(globSync(`${documents}/Freshes.otp`), "odp", documents, folder);
  convert(globSync(`${documents}/{datasets,loadExample}.xlsx`), "ods", documents, folder);
  return documents;
}

function convert(
  paths: readonly string[],
  to: string,
  documents: string,
  folder: string,
  more: readonly string[] = [],
) {
  const profile = `-env:UserInstallation=file://${folder}/profile`;
  const options = [profile, "--headless", ...more, "--convert-to", to, "--outdir", documents];
  if (paths.length > 0) execFileSync("soffice", [...options, ...paths], { stdio: "ignore", timeout: 300_000 });
}
