/** Before a selector: all elements of the body but these, with what is in them and around them. */
export const ALL_BUT = "all-but:";
