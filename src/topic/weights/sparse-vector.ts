/** A vector of which only the entries that are not 0 are stored. */
export interface SparseVector {
  indexes: Uint32Array;
  values: Float32Array;
}
