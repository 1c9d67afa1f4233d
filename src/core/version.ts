/** The program's version, for answers and for files that it writes. */

export const VERSION = "0.2.0";
/** The program's name in archives. */
export const SOFTWARE = "Orbweaver/0.2";
