import { type DatabaseName, documentName } from '../base/document-name.ts';
import { proto, timestampOf } from '../proto/codecs.ts';
import type { Databases } from '../storage/databases.ts';
import { commitWrites, parseWrite } from '../write/commit-writes.ts';
import { Ref, type SeedValue, valueBytes } from './plain-values.ts';
import { SeededRandom } from './seeded-random.ts';

const batchSize = 500;

interface SeedDocument {
  readonly path: string;
  readonly fields: Readonly<Record<string, SeedValue>>;
}

/** Writes `count` realistic documents. The same seed gives the same documents. */
export async function seed(
  databases: Databases,
  {
    name,
    count,
    options = {},
  }: {
    readonly name: DatabaseName;
    readonly count: number;
    readonly options?: { readonly seed?: number; readonly onProgress?: (done: number) => void } | undefined;
  },
): Promise<void> {
  const database = databases.open(name);
  let writes: Uint8Array[] = [];
  let done = 0;
  for (const document of seedDocuments(name, count, options.seed)) {
    writes.push(writeOf(name, document));
    done += 1;
    if (writes.length < batchSize && done < count) continue;
    await commitWrites(
      database,
      writes.map((write) => parseWrite(write, name)),
    );
    writes = [];
    options.onProgress?.(done);
  }
}

/** The documents that `seed` writes. */
export function* seedDocuments(name: DatabaseName, count: number, seed = 1): Generator<SeedDocument> {
  const dice = new SeededRandom(seed);
  for (let index = 0; index < count; index++) yield documentOf(name, index, dice);
}

/** One in ten has a parent that does not exist: tools that descend from parents miss those. */
function documentOf(name: DatabaseName, index: number, dice: SeededRandom): SeedDocument {
  const id = dice.id(20);
  const kind = index % 10;
  if (kind === 9)
    return { path: `archives/${2000 + dice.below(25)}-${dice.below(12) + 1}/entries/${id}`, fields: entry(name, dice) };
  if (kind >= 6) return { path: `users/u${userBefore(index, dice)}/orders/${id}`, fields: order(name, dice) };
  if (kind === 5) return { path: `products/${id}`, fields: product(dice) };
  return { path: `users/u${index}`, fields: user(name, index, dice) };
}

/** The first five of every ten are users. */
function userBefore(index: number, dice: SeededRandom): number {
  const any = dice.below(index + 1);
  return any - (any % 10) + (any % 5);
}

function writeOf(name: DatabaseName, { path, fields }: SeedDocument): Uint8Array {
  const values = new Map(Object.entries(fields).map(([field, value]) => [field, valueBytes(value)]));
  return proto.Write.encode({ update: proto.Document.encode({ name: documentName(name, path), fields: values }) });
}

/** A time in the ten years before 2026. */
const moment = (dice: SeededRandom) => timestampOf((1_451_606_400 + dice.below(315_000_000)) * 1_000_000 + dice.below(1_000_000));

const user = (name: DatabaseName, index: number, dice: SeededRandom): Record<string, SeedValue> => ({
  name: `${dice.word()} ${dice.word()}`,
  email: `user${index}@example.com`,
  age: BigInt(18 + dice.below(70)),
  score: dice.below(100) === 0 ? Number.NaN : dice.fraction() * 1000,
  active: dice.below(4) > 0,
  deletedAt: null,
  createdAt: moment(dice),
  home: { latitude: dice.fraction() * 180 - 90, longitude: dice.fraction() * 360 - 180 },
  avatar: dice.bytes(48),
  tags: Array.from({ length: dice.below(5) }, () => dice.word()),
  'notes.of.others': dice.text(20 + dice.below(60)),
  settings: { theme: dice.below(2) === 0 ? 'dark' : 'light', limits: { daily: BigInt(dice.below(500)), burst: -0 }, empty: {} },
  friend: new Ref(documentName(name, `users/u${userBefore(index, dice)}`)),
});

const order = (name: DatabaseName, dice: SeededRandom): Record<string, SeedValue> => ({
  placedAt: moment(dice),
  total: dice.below(100_000) / 100,
  cents: BigInt(dice.below(2 ** 31)) * 4_294_967_296n,
  status: ['new', 'paid', 'sent', 'returned'][dice.below(4)] ?? 'new',
  lines: Array.from({ length: 1 + dice.below(4) }, () => ({
    product: new Ref(documentName(name, `products/${dice.id(20)}`)),
    quantity: BigInt(1 + dice.below(9)),
    note: dice.text(dice.below(12)),
  })),
});

const product = (dice: SeededRandom): Record<string, SeedValue> => ({
  title: dice.text(4),
  price: dice.below(100_000) / 100,
  stock: BigInt(dice.below(1000)),
  embedding: { __type__: '__vector__', value: Array.from({ length: 8 }, () => dice.fraction()) },
  description: dice.text(40 + dice.below(80)),
});

const entry = (name: DatabaseName, dice: SeededRandom): Record<string, SeedValue> => ({
  at: moment(dice),
  level: BigInt(dice.below(5)),
  message: dice.text(10 + dice.below(40)),
  by: new Ref(documentName(name, `users/u${dice.below(1000)}`)),
  raw: dice.bytes(dice.below(64)),
  context: { path: `/${dice.word()}/${dice.word()}`, 'retry-after': null, seen: dice.below(2) === 0 },
});
