/**
 * The keys of a leaf's records lie in columns, and each column in planes: all first bytes, then all second bytes, big end
 * first. Bytes that say the same for every record (the high bytes of times and lengths) then cost nothing, and any slot can
 * be read without reading those before it. Created times are stored XOR updated times: zero where they are equal.
 */
export const column = {
  flags: { plane: 0, width: 1 },
  /** Bytes of the name shared with the name before. */
  shared: { plane: 1, width: 2 },
  /** Bytes of the name that follow them. */
  suffix: { plane: 3, width: 2 },
  body: { plane: 5, width: 4 },
  /** Seconds since 1970 in 40 bits two's complement, microseconds in 24 bits, the nanoseconds that remain in 16. */
  updated: { plane: 9, width: 10 },
  created: { plane: 19, width: 10 },
} as const;

export const planes = 29;

/** Before the columns: one byte for the order of the records, four for their number. */
export const columnsStart = 5;

/** `as-given` for changes in the order they happened, `by-name` for anything that is to be found by its name. */
export const recordOrder = { asGiven: 0, byName: 1 } as const;

/** What a record is. */
export const recordKind = {
  /** An encoded google.firestore.v1.Document. */
  document: 1,
  /** A document that is gone; its updated time says since when it was seen to be. */
  tombstone: 2,
  /** A user of Firebase Authentication, as JSON. */
  user: 3,
} as const;
export type RecordKind = (typeof recordKind)[keyof typeof recordKind];

/** The kind is the low half of the flags. */
export const kindMask = 0x0f;
