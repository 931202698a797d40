/** Unless stated otherwise, measured once on one core of a Neoverse-N1 with Node 24.21. */
export const measured = {
  /** Size of a document. */
  documentBytes: 1_000,
  /** Stored bytes per document. */
  storedBytes: 280,
  /** Documents per second over one stream. Not measured, but reported for real databases. */
  streamPerSecond: { core: Number.POSITIVE_INFINITY, fast: 2_900, slow: 170 },
  /** Documents per second that one core reads, packs and encrypts. */
  packedPerSecond: 89_253,
  /** Documents per second that one core decodes and compares with a target. */
  comparedPerSecond: 79_000,
  /** Documents per second that one core writes without throttling. */
  writtenPerSecond: 20_196,
  /** `npm run bench -- incremental`: the sixth incremental backup with 1 % changes each, relative to a full one. */
  incrementalShare: 0.024,
  /** `npm run bench -- backup`: the requests of a backup of this size, counted call by call. */
  counted: { documents: 20_000, writeUnits: 120, readUnits: 28, puts: 4, gets: 6 },
} as const;

/** Conservative guesses for values that were not measured. */
export const assumed = {
  /** A full name: `projects/…/databases/(default)/documents/` and a path. */
  nameBytes: 100,
  /** The manifest entry of an object. */
  objectListedBytes: 300,
  /** Latency of a bucket request, and of starting or ending a step. */
  bucketAnswerSeconds: 0.05,
  stepSeconds: 2,
  /** The share of its timeout that a worker uses before it hands over. */
  runShare: 5 / 6,
  /** Seconds between two checkpoints of a writer: 2 to 10. */
  sliceSeconds: 5,
  /** Sizes of the job and shard records; a transaction costs two units each. */
  jobRecordKilobytes: 3,
  shardRecordKilobytes: 1,
  /** Fixed writes of a job for its start, plan and end, with events and audit entry. */
  jobWriteUnits: 100,
  jobReadUnits: 25,
  /** The share of documents that change in a day. */
  changedADay: 0.01,
  /** Seconds of a day without a listening worker: one that crashed is replaced within a minute. */
  interruptedSecondsADay: 60,
} as const;

/** A checkpoint writes the shard and the job record in one transaction. */
export const checkpointWriteUnits = 2 * (assumed.jobRecordKilobytes + assumed.shardRecordKilobytes);
