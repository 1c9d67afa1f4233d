/** Groups of RTF that hold no text of the body. Any other group after `\*` that is not known is left out too. */
export const SKIPPED_GROUPS: ReadonlySet<string> = new Set(
  (
    "pict object objdata objclass nonshppict header headerl headerr headerf footer footerl footerr footerf colortbl " +
    "datastore themedata colorschememapping latentstyles filetbl revtbl rsidtbl generator xmlnstbl mmathpr listtext pntext pn pnseclvl " +
    "ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn annotation atnid atnauthor atndate atnref atnparent atnicn tc tcn xe bkmkend " +
    "sp sn sv shprslt wgrffmtfilter pgdsctbl fontemb fontfile panose falt private buptim printim revtim template " +
    "operator company category hlinkbase userprops passwordhash oldcprops oldpprops docvar formfield do"
  ).split(" "),
);

/** Groups after `\*` that are read all the same. */
export const READ_GROUPS: ReadonlySet<string> = new Set(
  "fldinst bkmkstart listtable list listlevel listoverridetable listoverride shpinst shptxt shppict cs ts ud keycode".split(
    " ",
  ),
);

/** Groups of `\info` that say something of the document. */
export const INFO_GROUPS: ReadonlySet<string> = new Set(
  "title author subject keywords doccomm creatim revtim".split(" "),
);

/** Control words that are a character. */
export const CHARACTERS: Readonly<Record<string, string>> = {
  tab: "\t",
  emdash: "\u2014",
  endash: "\u2013",
  emspace: "\u2003",
  enspace: "\u2002",
  qmspace: "\u2005",
  bullet: "\u2022",
  lquote: "\u2018",
  rquote: "\u2019",
  ldblquote: "\u201c",
  rdblquote: "\u201d",
  zwnj: "\u200c",
  zwj: "\u200d",
};
