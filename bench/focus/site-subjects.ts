/**
 * Subjects within one manual, for crawls of a single site. Pages on a subject are known by their paths, which the
 * crawler is told as it is told any URL. The constants were chosen by `TUNED_SITES` alone, and `HELD_OUT_SITES` were
 * written down before any of their pages was looked at.
 */

export interface SiteSubject {
  /** Debian's package. */
  of: string;
  /** Below /usr/share. */
  folder: string;
  /** The page that the crawl begins with. */
  seed: string;
  words: string;
  /** By the path below the folder. */
  isAbout: RegExp;
}

type Row = [words: string, isAbout: RegExp];

const site = (of: string, folder: string, seed: string, ...rows: Row[]): SiteSubject[] =>
  rows.map(([words, isAbout]) => ({ of, folder, seed, words, isAbout }));

export const TUNED_SITES: readonly SiteSubject[] = [
  ...site(
    "git-doc",
    "doc/git-doc",
    "git.html",
    [
      "email patches to maintainers",
      /git-(?:send-email|format-patch|am|imap-send|mailinfo|mailsplit|request-pull|apply)\.html|MyFirstContribution|SubmittingPatches/,
    ],
    [
      "subversion cvs perforce import",
      /git-(?:svn|cvs\w*|p4|fast-import|fast-export|archimport|quiltimport)\.html|gitcvs-migration/,
    ],
    ["credentials passwords", /credential/],
  ),
  ...site(
    "debian-handbook",
    "doc/debian-handbook/html/en-US",
    "index.html",
    ["virtualization containers", /virtuali|lxc|xen|kvm/i],
    ["firewall intrusion security", /security|firewall|hardening|apparmor|selinux|supervision|web-applications/i],
    ["email server", /mail|antivirus/i],
  ),
  ...site(
    "cmake-doc",
    "doc/cmake-data/html",
    "index.html",
    ["ctest dashboard testing", /ctest|test/i],
    ["android cross compiling toolchain", /android|toolchain|cross/i],
  ),
  ...site(
    "libgtk-3-doc",
    "gtk-doc/html/gtk3",
    "index.html",
    ["printing", /[Pp]rint|PageSetup|PaperSize/],
    ["text editing TextView buffer", /GtkText(?!Buffer\.html$)|TextWidget|GtkSource|GtkTextBuffer/],
    ["drag and drop clipboard", /[Cc]lipboard|[Dd]rag|Selections/],
  ),
  ...site("ant-doc", "doc/ant", "manual/index.html", [
    "zip jar archives",
    /Tasks\/(?:\w*zip|jar|war|ear|tar|gunzip|unzip|untar|cab|manifest|signjar|rpm|.*pack\w*)\.html/i,
  ]),
  ...site(
    "libcommons-io-java-doc",
    "doc/libcommons-io-java/api",
    "index.html",
    ["file monitor", /monitor/i],
    ["StreamReader xml encoding", /[Rr]eader/],
  ),
];

export const HELD_OUT_SITES: readonly SiteSubject[] = [
  ...site(
    "python3.11-doc",
    "doc/python3.11/html",
    "index.html",
    ["email messages MIME", /library\/email/],
    ["unit testing mock", /library\/(?:unittest|doctest|test)/],
    ["XML parsing", /library\/(?:xml|pyexpat)/],
    ["compression archives zip", /library\/(?:zlib|gzip|bz2|lzma|zipfile|tarfile|archiving|zipimport|zipapp)/],
    ["C API reference counting objects", /c-api\//],
  ),
  ...site(
    "libeigen3-doc",
    "doc/libeigen3-dev/html",
    "index.html",
    ["sparse matrices solvers", /[Ss]parse/],
    ["rotation quaternion geometry", /[Gg]eometry|Quaternion|Rotation|AngleAxis|Transform/],
  ),
  ...site(
    "libglib2.0-doc",
    "gtk-doc/html/gio",
    "index.html",
    ["D-Bus connections proxies", /D-?[Bb]us/],
    ["network sockets", /[Ss]ocket|Inet|[Nn]etwork/],
  ),
  ...site(
    "libsdl2-doc",
    "doc/libsdl2-doc/html",
    "index.html",
    ["audio playback devices", /[Aa]udio/],
    ["joystick game controller", /[Jj]oystick|[Gg]ameController/],
  ),
  ...site(
    "libcommons-math3-java-doc",
    "doc/libcommons-math3-java/api",
    "index.html",
    ["ordinary differential equations", /\/ode\//],
    ["genetic algorithms", /\/genetics\//],
    ["random number generators", /\/random\//],
  ),
  ...site(
    "valgrind",
    "doc/valgrind/html",
    "index.html",
    ["heap profiler massif", /^(?:ms|dh)-/],
    ["cache simulation", /^(?:cg|cl)-/],
  ),
  ...site(
    "openjdk-17-doc",
    "doc/openjdk-17-jre-headless/api",
    "index.html",
    ["cryptography ciphers keys", /javax\/crypto|java\/security/],
    ["streaming XML streamreader", /javax\/xml\/stream/],
    ["printing documents", /javax\/print|java\/awt\/print/],
  ),
];

/** Written down when the two others had been measured, before any of these was: nothing was changed after it. */
export const LATER_SITES: readonly SiteSubject[] = [
  ...site(
    "sqlite3-doc",
    "doc/sqlite3",
    "index.html",
    ["full text search", /fts[35]/],
    [
      "write-ahead log locking journal",
      /^(?:wal|walformat|lockingv3|atomiccommit|isolation|tempfiles)\.html|c3ref\/wal/,
    ],
    ["spatial index geometry", /rtree|geopoly/],
  ),
  ...site(
    "postgresql-doc-15",
    "doc/postgresql-doc-15/html",
    "index.html",
    ["full text search dictionaries", /textsearch|sql-\w*ts(?:dictionary|config|parser|template)/],
    ["logical replication publications", /logical|publication|subscription/],
    ["client authentication ldap", /^auth|gssapi|sspi|passwordcheck/],
    ["PL/Python functions", /plpython/],
  ),
  ...site(
    "qtbase5-doc-html",
    "qt5/doc/qtwidgets",
    "qtwidgets-index.html",
    ["dialogs to choose files and colours", /dialog/],
    ["tables trees model view", /table|tree|listview|model-?view|itemview|delegate/],
  ),
  ...site("octave-doc", "doc/octave/octave.html", "index.html", ["sparse matrices", /[Ss]parse/]),
];

const chapters = (book: string, ...numbers: number[]) =>
  new RegExp(`^${book}[\\w-]*?-(?:chapter-)?(?:${numbers.join("|")})(?:-\\d|\\.html)`);

/**
 * Written down before any of their pages was read, by the names of files and the titles of chapters. The text books are
 * made by make-textbooks.ts of OpenStax's business law, U.S. history, anatomy, philosophy and political science.
 */
export const FURTHER_SITES: readonly SiteSubject[] = [
  ...site(
    "text books",
    "textbooks",
    "index.html",
    ["contract law, offer and acceptance", chapters("business", 7, 8)],
    ["slavery in the South and the Civil War", chapters("us-history", 12, 14, 15)],
    ["the Great Depression and the New Deal", chapters("us-history", 25, 26)],
    ["bones of the skeleton", chapters("anatomy", 8, 9, 10)],
    ["the heart and the circulation of blood", chapters("anatomy", 22, 23, 24)],
    ["digestion and nutrition", chapters("anatomy", 28, 29)],
    ["ethics and moral theory", chapters("introduction-philosophy", 8, 9, 10)],
    ["logical arguments", chapters("introduction-philosophy", 5)],
    ["elections and political parties", chapters("introduction-political", 7, 11)],
  ),
  ...site(
    "anarchism",
    "doc/anarchism/html",
    "index.html",
    ["ecology and the environment", /secE/],
    ["anarcho-capitalism", /secF/],
    ["Marxism and the Russian revolution", /secH/],
  ),
  ...site(
    "apache2-doc",
    "doc/apache2-doc/manual/en",
    "index.html",
    ["reverse proxy load balancing", /mod_proxy|lbmethod|reverse_proxy/],
    ["authentication and access control", /auth|access/],
    ["caching of responses", /cach/],
    ["rewriting URLs", /rewrit/],
  ),
  ...site(
    "grass-doc",
    "doc/grass-doc/html",
    "index.html",
    [
      "watersheds and runoff",
      /^r\.(?:watershed|water|flow|basins|stream|fill\.dir|lake|sim\.water|terraflow|topidx|drain)/,
    ],
    ["time series", /^t\.|temporal/],
    ["classification of satellite images", /^i\.|imagery/],
    ["shortest paths in road networks", /^v\.net/],
  ),
  ...site(
    "erlang-doc",
    "../lib/erlang",
    "doc/index.html",
    ["SSH servers and SFTP", /ssh/],
    ["Mnesia database", /mnesia/],
    ["SNMP agents", /snmp/],
    ["test suites", /common_test|eunit/],
  ),
  ...site(
    "rust-doc",
    "doc/rust-doc/html",
    "std/index.html",
    ["hash maps and sets", /collections\/.*(?:hash|map|set)/],
    ["atomic integers and locks", /\/sync\//],
    ["sockets and IP addresses", /std\/net/],
  ),
];

/** Written down when all others had been measured and what they showed was mended, before any of these was. */
export const LAST_SITES: readonly SiteSubject[] = [
  ...site(
    "text books",
    "textbooks",
    "index.html",
    ["criminal law and torts", chapters("business", 5, 6)],
    ["World War II", chapters("us-history", 27)],
    ["Reconstruction after the Civil War", chapters("us-history", 16)],
    ["immune system and lymph", chapters("anatomy", 25)],
    ["brain and nerves", chapters("anatomy", 15, 16, 17, 18, 19)],
    ["lungs and breathing", chapters("anatomy", 27)],
    ["pregnancy and reproduction", chapters("anatomy", 33, 34)],
    ["knowledge and truth", chapters("introduction-philosophy", 7)],
    ["courts and judges", chapters("introduction-political", 15)],
    ["international trade", chapters("introduction-political", 21)],
  ),
  ...site(
    "gimp-help-en",
    "gimp/2.0/help/en",
    "index.html",
    ["selection tools", /select/],
    ["layers and masks", /layer|mask/],
    ["curves, levels and hue", /colou?r|curves|levels|hue/],
    ["printing and exporting", /print|export|save/],
  ),
  ...site(
    "lilypond-doc-html",
    "doc/lilypond/html/Documentation/notation",
    "index.html",
    ["guitar tablature", /fret|guitar|tablature/],
    ["lyrics and vocal music", /lyric|vocal|song|choral|stanza/],
    ["percussion and drums", /percussion|drum/],
  ),
];

/**
 * Written down by the names of files and the titles of chapters, when the rules about ties were made, before any of
 * these was measured. The text books are OpenStax's psychology and astronomy.
 */
export const FRESH_SITES: readonly SiteSubject[] = [
  ...site(
    "science text books",
    "science-textbooks",
    "index.html",
    ["sleep and dreams", chapters("psychology", 4)],
    ["vision and hearing", chapters("psychology", 5)],
    ["conditioning and reinforcement", chapters("psychology", 6)],
    ["group behavior and conformity", chapters("psychology", 12)],
    ["schizophrenia and depression", chapters("psychology", 15)],
    ["telescopes", chapters("astronomy", 6)],
    ["asteroids and comets", chapters("astronomy", 13)],
    ["black holes", chapters("astronomy", 24, 27)],
    ["expansion of the universe", chapters("astronomy", 29)],
    ["life on other planets", chapters("astronomy", 30)],
  ),
  ...site(
    "cppreference-doc-en-html",
    "cppreference/doc/html/en",
    "index.html",
    ["file system paths and directories", /filesystem/],
    ["regular expressions", /\/regex/],
    ["threads and mutexes", /thread|mutex|atomic/],
  ),
  ...site(
    "csound-doc",
    "doc/csound-doc/html",
    "index.html",
    ["MIDI input and output", /midi/i],
    ["granular synthesis", /grain/i],
  ),
  ...site(
    "linux-doc-6.1",
    "doc/linux-doc-6.1/html",
    "index.html",
    ["USB drivers", /(?:^|\/)usb/],
    ["ext4, xfs and btrfs file systems", /filesystems\/(?:ext4|xfs|btrfs)/],
    ["process scheduler", /scheduler\//],
    ["sound cards and ALSA", /sound\//],
    ["network devices", /networking\//],
  ),
  ...site(
    "wireshark-doc",
    "doc/wireshark/wsug_html_chunked",
    "index.html",
    ["statistics and telephony", /Stat|Tel/],
    ["display filters", /filter/i],
  ),
  ...site(
    "python-sklearn-doc",
    "doc/python-sklearn-doc/html",
    "index.html",
    ["clustering", /cluster/],
    ["support vector machines", /svm/],
  ),
  ...site("python-sqlalchemy-doc", "doc/python-sqlalchemy-doc/html", "index.html", ["database dialects", /dialects\//]),
  ...site(
    "python-sympy-doc",
    "doc/python-sympy-doc/html",
    "index.html",
    ["physics and mechanics", /physics/],
    ["solving equations", /solv/],
  ),
  ...site(
    "python-django-doc",
    "doc/python-django-doc/html",
    "index.html",
    ["geographic maps", /gis/],
    ["forms and validation", /form/],
  ),
  ...site(
    "fp-docs-3.2.2",
    "doc/fp-docs/3.2.2/rtl",
    "index.html",
    ["threads", /thread/i],
    ["date and time", /sysutils\/.*(?:date|time)|dateutils/],
  ),
  ...site("exim4-doc-html", "doc/exim4-doc-html/spec_html", "index.html", [
    "encryption and authentication",
    /tls|encrypt|authenticat/,
  ]),
  ...site("ns3-doc", "doc/ns3/models/html", "index.html", ["wifi and LTE networks", /wifi|lte/]),
  ...site(
    "gnucash-docs",
    "doc/gnucash-docs/gnucash-guide-en",
    "index.html",
    ["stocks and investments", /invest|stock/],
    ["invoices of a business", /bus/],
  ),
  ...site("slurm-wlm-doc", "doc/slurm-wlm/html", "man_index.html", ["accounting", /account/]),
  ...site(
    "racket-doc",
    "doc/racket",
    "index.html",
    ["web server", /web-server|net\//],
    ["drawing pictures", /draw\/|pict/],
    ["plots", /plot/],
  ),
  ...site("nova-doc", "doc/nova-doc/html", "index.html", ["cells", /cell/]),
];

/** Written down like the last ones, after they were measured and a constant had been chosen by them. */
export const UNSEEN_SITES: readonly SiteSubject[] = [
  ...site(
    "libboost1.74-doc",
    "doc/libboost1.74-doc/doc/html",
    "index.html",
    ["units of measurement", /units/],
    ["statistical accumulators", /accumulators/],
    ["random numbers", /random/],
    ["interprocess shared memory", /interprocess/],
  ),
  ...site(
    "tomcat10-docs",
    "tomcat10-docs/docs",
    "index.html",
    ["clustering and session replication", /cluster|tribes/],
    ["security, realms and SSL", /realm|ssl|security/],
  ),
  ...site(
    "libcommons-lang3-java-doc",
    "doc/libcommons-lang3-java/api",
    "index.html",
    ["dates and times", /\/time\/|Date/],
    ["concurrent threads", /\/concurrent\//],
    ["tuples", /\/tuple\//],
    ["string builders", /\/text\/|\/builder\//],
  ),
  ...site(
    "postfix-doc",
    "doc/postfix/html",
    "index.html",
    ["TLS encryption and SASL authentication", /tls|sasl/i],
    ["spam and content filters", /filter|milter|backscatter|postscreen|access/i],
  ),
];
