/** Statistics of a backup, gathered while its documents are copied. */

/** Of documents that were looked at; weighted, so that the numbers stand for all documents of their class. */
export interface Sample {
  documents: number;
  /** Documents that were looked at, without weights. */
  examined: number;
  /** Bytes of string and bytes values, and their entropy times the documents that have any. */
  textBytes: number;
  bits: number;
  withText: number;
  fields: Map<string, FieldCounts>;
}

export interface FieldCounts {
  /** Documents with the field, and those in which most of its text looks like ciphertext. */
  present: number;
  opaque: number;
}

export interface CollectionStatistics {
  documents: number;
  /** Created, or changed, since the backup that this one is compared with. */
  added: number;
  changed: number;
  readonly ofUnchanged: Sample;
  readonly ofChanged: Sample;
  readonly ofAdded: Sample;
}

/** By collection id. All collections beyond those kept have the id `rest`, which is none of Firestore. */
export type StatisticsByCollection = Map<string, CollectionStatistics>;

export const restId = '';
export const emptySample = (): Sample => ({
  documents: 0,
  examined: 0,
  textBytes: 0,
  bits: 0,
  withText: 0,
  fields: new Map(),
});

export const emptyStatistics = (): CollectionStatistics => ({
  documents: 0,
  added: 0,
  changed: 0,
  ofUnchanged: emptySample(),
  ofChanged: emptySample(),
  ofAdded: emptySample(),
});

type EncodedSample = readonly [number, number, number, number, number, readonly (readonly [string, number, number])[]];
type EncodedCollection = readonly [string, number, number, number, EncodedSample, EncodedSample, EncodedSample];

/** As JSON of at most that size: the fields of the smallest collections are left out first, then the collections join the rest. */
export const encodeStatistics = (statistics: StatisticsByCollection, maxBytes: number): string => {
  const whole = encode(statistics);
  if (Buffer.byteLength(whole) <= maxBytes) return whole;
  const bySize = [...statistics].sort(([, a], [, b]) => b.documents + b.changed - a.documents - a.changed);
  const kept: StatisticsByCollection = new Map();
  const rest = emptyStatistics();
  let bytes = 500;
  for (const [id, one] of bySize) {
    const bare = { ...one, ofUnchanged: bared(one.ofUnchanged), ofChanged: bared(one.ofChanged), ofAdded: bared(one.ofAdded) };
    const fitting = [one, bare].find((form) => bytes + sizeOf(id, form) <= maxBytes);
    if (id === restId || !fitting) addCounts(rest, one);
    else {
      kept.set(id, fitting);
      bytes += sizeOf(id, fitting);
    }
  }
  if (rest.documents + rest.added + rest.changed > 0) kept.set(restId, rest);
  return encode(kept);
};

const bared = (sample: Sample): Sample => ({ ...sample, fields: new Map() });
const sizeOf = (id: string, one: CollectionStatistics): number => Buffer.byteLength(encode(new Map([[id, one]])));

const addCounts = (sum: CollectionStatistics, { documents, added, changed }: CollectionStatistics): void => {
  sum.documents += documents;
  sum.added += added;
  sum.changed += changed;
};

const encode = (statistics: StatisticsByCollection): string =>
  JSON.stringify(
    [...statistics].map(
      ([id, { documents, added, changed, ofUnchanged, ofChanged, ofAdded }]): EncodedCollection => [
        ...([id, documents, added, changed] as const),
        ...([encodeSample(ofUnchanged), encodeSample(ofChanged), encodeSample(ofAdded)] as const),
      ],
    ),
  );

const encodeSample = ({ documents, examined, textBytes, bits, withText, fields }: Sample): EncodedSample => [
  ...([documents, examined, textBytes, Math.round(bits * 100) / 100, withText] as const),
  [...fields].map(([name, { present, opaque }]) => [name, present, opaque] as const),
];

export const decodeStatistics = (text: string): StatisticsByCollection =>
  new Map(
    (JSON.parse(text) as readonly EncodedCollection[]).map(([id, documents, added, changed, unchanged, ofChanged, ofAdded]) => [
      id,
      {
        documents,
        added,
        changed,
        ofUnchanged: decodeSample(unchanged),
        ofChanged: decodeSample(ofChanged),
        ofAdded: decodeSample(ofAdded),
      },
    ]),
  );

const decodeSample = ([documents, examined, textBytes, bits, withText, fields]: EncodedSample): Sample => ({
  documents,
  examined,
  textBytes,
  bits,
  withText,
  fields: new Map(fields.map(([name, present, opaque]) => [name, { present, opaque }])),
});

/** Adds the statistics of one part of a backup to those of the others. */
export const mergeStatistics = (into: StatisticsByCollection, part: StatisticsByCollection): void => {
  for (const [id, one] of part) {
    const sum = into.get(id) ?? emptyStatistics();
    into.set(id, sum);
    addCounts(sum, one);
    mergeSample(sum.ofUnchanged, one.ofUnchanged);
    mergeSample(sum.ofChanged, one.ofChanged);
    mergeSample(sum.ofAdded, one.ofAdded);
  }
};

export const mergeSample = (sum: Sample, one: Sample): void => {
  sum.documents += one.documents;
  sum.examined += one.examined;
  sum.textBytes += one.textBytes;
  sum.bits += one.bits;
  sum.withText += one.withText;
  for (const [name, { present, opaque }] of one.fields) {
    const counts = sum.fields.get(name) ?? { present: 0, opaque: 0 };
    counts.present += present;
    counts.opaque += opaque;
    sum.fields.set(name, counts);
  }
};

/** Collections that are counted one by one in what parts differ from; smaller ones are counted together. */
const addedCollectionsMax = 2_000;

/**
 * Adds the documents that parts only say how they differ from. A sample of documents that did not change may stand for more than there
 * are, because whole leaves are looked into.
 */
export const addOrigin = (
  statistics: StatisticsByCollection,
  collections: readonly (readonly [id: string, documents: number])[],
): void => {
  for (const [n, [id, documents]] of collections.entries()) {
    const name = statistics.has(id) || n < addedCollectionsMax ? id : restId;
    const sum = statistics.get(name) ?? emptyStatistics();
    statistics.set(name, sum);
    sum.documents += documents;
  }
  for (const { documents, changed, added, ofUnchanged } of statistics.values()) {
    const unchanged = Math.max(0, documents - changed - added);
    if (ofUnchanged.documents > unchanged) scale(ofUnchanged, unchanged / ofUnchanged.documents);
  }
};

const scale = (sample: Sample, by: number): void => {
  sample.documents *= by;
  sample.textBytes *= by;
  sample.bits *= by;
  sample.withText *= by;
  for (const counts of sample.fields.values()) {
    counts.present *= by;
    counts.opaque *= by;
  }
};
