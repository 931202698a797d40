/**
 * Record keys are stored in columns, and each column in byte planes: all first bytes, then all second bytes, big-endian. Bytes
 * that are equal in all records (high bytes of times and lengths) compress to nothing, and any slot is readable without the
 * previous ones. Created times are stored XOR updated times, which is zero where they are equal.
 */
export const column = {
  flags: { plane: 0, width: 1 },
  /** Bytes that the name shares with the previous name. */
  shared: { plane: 1, width: 2 },
  /** Bytes of the name after the shared ones. */
  suffix: { plane: 3, width: 2 },
  body: { plane: 5, width: 4 },
  /** Seconds since 1970 (40 bits, two's complement), microseconds (24 bits), remaining nanoseconds (16 bits). */
  updated: { plane: 9, width: 10 },
  created: { plane: 19, width: 10 },
} as const;

export const planes = 29;

/** Before the columns: record order (1 byte) and count (4 bytes). */
export const columnsStart = 5;

/** `asGiven`: changes in the order in which they happened. `byName`: records that are found by name. */
export const recordOrder = { asGiven: 0, byName: 1 } as const;

export const recordKind = {
  /** An encoded google.firestore.v1.Document. */
  document: 1,
  /** A deleted document; its updated time is when the deletion was observed. */
  tombstone: 2,
  /** A Firebase Authentication user as JSON. */
  user: 3,
  /** In memory only: a record that an erasure hides. */
  erased: 0,
} as const;
export type RecordKind = (typeof recordKind)[keyof typeof recordKind];
/** The kinds of an archive. */
export type StoredKind = Exclude<RecordKind, typeof recordKind.erased>;

/** The kind is the low half of the flags. */
export const kindMask = 0x0f;
