/** Sample documents of about 1 kB, encoded as Firestore sends them. One buffer holds them all, so they add no work for the garbage collector. */
import { documentName } from '../../../infra/local/engines/firestore/base/document-name.ts';
import { proto, timestampOf } from '../../../infra/local/engines/firestore/proto/codecs.ts';
import { Ref, type SeedValue, valueBytes } from '../../../infra/local/engines/firestore/seed/plain-values.ts';
import { SeededRandom } from '../../../infra/local/engines/firestore/seed/seeded-random.ts';

export interface Documents {
  readonly bytes: Buffer;
  /** Document i spans `ends[i - 1]` to `ends[i]`. */
  readonly ends: Uint32Array;
  /** The same documents as NDJSON in the format of the REST API. */
  readonly ndjson: Buffer;
}

const name = { projectId: 'bench', databaseId: '(default)' };
export const source = 'projects/bench/databases/(default)';
const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Creates `count` documents, sorted by name. */
export const makeDocuments = (count: number, seed = 1): Documents => {
  const dice = new SeededRandom(seed);
  const parts: Buffer[] = [];
  const lines: string[] = [];
  const ends = new Uint32Array(count);
  let end = 0;
  for (let i = 0; i < count; i++) {
    const fields = fieldsOf(i, dice);
    const created = moment(dice);
    const message = {
      name: nameOf(i, count, dice),
      fields: new Map(Object.entries(fields).map(([field, value]) => [field, valueBytes(value)])),
      createTime: created,
      // Half of the documents were never changed.
      updateTime: dice.below(2) === 0 ? created : moment(dice),
    };
    const bytes = Buffer.from(proto.Document.encode(message));
    parts.push(bytes);
    end += bytes.length;
    ends[i] = end;
    const values = Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, restValue(value)]));
    lines.push(
      JSON.stringify({ name: message.name, fields: values, createTime: text(created), updateTime: text(message.updateTime) }),
    );
  }
  return { bytes: Buffer.concat(parts), ends, ndjson: Buffer.from(lines.join('\n')) };
};

export const nameOf = (i: number, count: number, dice: SeededRandom): string => documentName(name, pathOf(i, count, dice));

/** An id of four ascending letters and random ones, so that names are sorted; one document in ten is in a subcollection. */
const pathOf = (i: number, count: number, dice: SeededRandom): string => {
  let id = '';
  for (let rest = i / count, digit = 0; digit < 4; digit++, rest -= Math.floor(rest)) {
    rest *= letters.length;
    id += letters[Math.floor(rest)];
  }
  return `items/${id}${dice.id(16)}${i % 10 === 9 ? `/parts/${dice.id(20)}` : ''}`;
};

const moment = (dice: SeededRandom) => timestampOf((1_735_689_600 + dice.below(31_000_000)) * 1_000_000 + dice.below(1_000_000));
const text = ({ seconds, nanos }: { readonly seconds: number | bigint; readonly nanos: number }): string =>
  `${new Date(Number(seconds) * 1000).toISOString().slice(0, -5)}.${String(nanos).padStart(9, '0').slice(0, 6)}Z`;

export const fieldsOf = (i: number, dice: SeededRandom): Record<string, SeedValue> => ({
  title: `${dice.word()} ${dice.word()} ${i}`,
  owner: `user${dice.below(100_000)}@example.com`,
  quantity: BigInt(dice.below(500)),
  price: dice.below(100_000) / 100,
  rating: dice.fraction() * 5,
  active: dice.below(4) > 0,
  removedAt: null,
  placedAt: moment(dice),
  at: { latitude: dice.fraction() * 180 - 90, longitude: dice.fraction() * 360 - 180 },
  token: dice.bytes(24),
  tags: Array.from({ length: dice.below(5) }, () => dice.word()),
  category: new Ref(documentName(name, `categories/${dice.below(400)}`)),
  settings: {
    theme: dice.below(2) === 0 ? 'dark' : 'light',
    limits: { daily: BigInt(dice.below(500)), hourly: BigInt(dice.below(50)) },
  },
  description: dice.text(30 + dice.below(70)),
});

const restValue = (value: SeedValue): unknown => {
  if (value === null) return { nullValue: null };
  if (typeof value === 'boolean') return { booleanValue: value };
  if (typeof value === 'bigint') return { integerValue: String(value) };
  if (typeof value === 'number') return { doubleValue: value };
  if (typeof value === 'string') return { stringValue: value };
  if (value instanceof Uint8Array) return { bytesValue: Buffer.from(value).toString('base64') };
  if (value instanceof Ref) return { referenceValue: value.name };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(restValue) } };
  if ('seconds' in value && 'nanos' in value) return { timestampValue: text(value as { seconds: number; nanos: number }) };
  if ('latitude' in value) return { geoPointValue: value };
  return {
    mapValue: { fields: Object.fromEntries(Object.entries(value).map(([field, one]) => [field, restValue(one as SeedValue)])) },
  };
};
