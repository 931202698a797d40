/** What was measured and cannot be read from the code. The numbers are those of performance.md; its sections are named. */
export const measured = {
  /** Section 1: what its documents have, about. */
  documentBytes: 1_000,
  /** Section 2, the prototype's row: bytes in the bucket for each. */
  storedBytes: 280,
  /** Section 3: what real databases were reported to send over one stream, in documents a second. */
  streamPerSecond: { core: Number.POSITIVE_INFINITY, fast: 2_900, slow: 170 },
  /** Section 2: documents that one core takes from the wire, packs and seals in a second. */
  packedPerSecond: 89_253,
  /** Section 1: documents that one core decodes, for what compares a backup with a target. */
  comparedPerSecond: 79_000,
  /** Section 2: documents that one core writes in a second where nothing holds it back. */
  writtenPerSecond: 20_196,
  /** `npm run bench -- incremental`: what the sixth incremental backup in a row stores of a full one, 1 % changed each time. */
  incrementalShare: 0.024,
  /** `npm run bench -- backup`: what a backup of so many documents asked for, counted call by call, when this was written. */
  counted: { documents: 20_000, writeUnits: 120, readUnits: 28, puts: 4, gets: 6 },
} as const;

/** What nobody measured: guesses on the safe side. */
export const assumed = {
  /** Of a full name: `projects/…/databases/(default)/documents/` and a path. */
  nameBytes: 100,
  /** What a manifest says of an object. */
  objectListedBytes: 300,
  /** Of an answer of a bucket, and of what begins or ends a step. */
  bucketAnswerSeconds: 0.05,
  stepSeconds: 2,
  /** What a worker uses of its time before it hands over. */
  runShare: 5 / 6,
  /** Seconds between two checkpoints of a worker that writes: between 2 and 10. */
  sliceSeconds: 5,
  /** Of the record of a job and that of a shard; a transaction takes two units for each. */
  jobRecordKilobytes: 3,
  shardRecordKilobytes: 1,
  /** Of what begins, plans and ends a job, with its events and its audit entry, however large it is. */
  jobWriteUnits: 100,
  jobReadUnits: 25,
  /** Of all documents, what a day changes. */
  changedADay: 0.01,
} as const;
