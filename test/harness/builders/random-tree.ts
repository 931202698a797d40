/** Random documents with values of every Firestore type, ids that break other tools, and missing parents. */
import { proto, type Value } from '../../../infra/local/engines/firestore/proto/codecs.ts';
import type { EncodedFields } from '../firestore/write-documents.ts';

/** The same numbers for the same seed. */
const diceOf = (seed: number) => {
  let state = seed * 2_654_435_761;
  return (below: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
};
type Dice = ReturnType<typeof diceOf>;
const of = <T>(dice: Dice, list: readonly T[]): T => list[dice(list.length)]!;

const ids = [
  ...['a', 'b', 'Z', '0', ' ', '~', 'é', 'e\u0301', '\u{1f600}', '\uffee', 'x\n', 'x\u0001', '.x', '..x', '__foo_', '_bar__'],
  ...['constructor', 'toString', 'fields', 'l'.repeat(1_500), '=1+1', '%2F', 'a b', '\u05d0\u202e', '__id7__', '__id-9__'],
];
const collections = ids.filter((id) => !/^__.*__$/s.test(id));

const doubles = [3, -0, Number.NaN, Infinity, -Infinity, 5e-324, Number.MAX_VALUE, 0.1, 2 ** 53 + 2];
const integers = [0n, 3n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];
const seconds = [-62_135_596_800n, -1n, 0n, 1_700_000_000n, 253_402_300_799n];

const encode = (value: Value): Uint8Array => proto.Value.encode(value);
const vector = (): Value => ({
  mapValue: {
    fields: new Map([
      ['__type__', encode({ stringValue: '__vector__' })],
      ['value', encode({ arrayValue: { values: [1, 0.5].map((doubleValue) => encode({ doubleValue })) } })],
    ]),
  },
});

const someValue = (dice: Dice, depth: number, root: string): Value => {
  const makers: (() => Value)[] = [
    () => ({ nullValue: 'NULL_VALUE' }),
    () => ({ booleanValue: dice(2) === 1 }),
    () => ({ integerValue: of(dice, integers) }),
    () => ({ doubleValue: of(dice, doubles) }),
    () => ({ timestampValue: { seconds: of(dice, seconds), nanos: of(dice, [0, 123_456_000, 999_999_000]) } }),
    () => ({ stringValue: of(dice, ['', 'text', '\u{1f600}', 'x'.repeat(dice(3_000)), '\u0000', '{"stringValue":"x"}']) }),
    () => ({ bytesValue: Buffer.from(Array.from({ length: dice(300) }, () => dice(256))) }),
    () => ({ referenceValue: `${root}/users/ada` }),
    () => ({ referenceValue: 'projects/other/databases/second/documents/a/b' }),
    () => ({ geoPointValue: { latitude: of(dice, [-90, 0, 52.5]), longitude: of(dice, [-180, 0, 180]) } }),
    vector,
  ];
  if (depth < 4)
    makers.push(
      () => ({ arrayValue: { values: some(dice, 3, () => encode(notArray(dice, depth + 1, root))) } }),
      () => ({ mapValue: { fields: fieldsOf(dice, depth + 1, root) } }),
    );
  return of(dice, makers)();
};
/** An array may not directly contain an array. */
const notArray = (dice: Dice, depth: number, root: string): Value => {
  const value = someValue(dice, depth, root);
  return value.arrayValue ? { stringValue: 'instead' } : value;
};
const some = <T>(dice: Dice, most: number, make: () => T): T[] => Array.from({ length: dice(most + 1) }, make);

const names = ['a', 'text', 'a.b', '`', '\\', '*~[]/', ' ', '\u00a0', 'constructor', '_seconds', 'stringValue', 'f'.repeat(300)];
const fieldsOf = (dice: Dice, depth: number, root: string): EncodedFields =>
  new Map(some(dice, 6, () => [of(dice, names), encode(someValue(dice, depth, root))] as const));

/** Paths are one to three collections deep; most parents do not exist. */
export const randomTree = (seed: number, count: number, root: string): ReadonlyMap<string, EncodedFields> => {
  const dice = diceOf(seed);
  const pathOf = (): string => Array.from({ length: 1 + dice(3) }, () => `${of(dice, collections)}/${of(dice, ids)}`).join('/');
  return new Map(Array.from({ length: count }, () => [pathOf(), fieldsOf(dice, 0, root)]));
};
