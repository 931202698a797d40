/**
 * Writes the fixtures of a format version: `node test/harness/builders/make-archive-fixture.ts v2`. Fixtures represent stored
 * customer data and are never written again; an existing folder is not changed.
 */
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { proto, timestampOf } from '../../../infra/local/engines/firestore/proto/codecs.ts';
import { Ref, type SeedValue, valueBytes } from '../../../infra/local/engines/firestore/seed/plain-values.ts';
import { SeededRandom } from '../../../infra/local/engines/firestore/seed/seeded-random.ts';
import {
  compareNames,
  DocumentSkim,
  encodeKeyFile,
  type Identity,
  keyFileName,
  type Manifest,
  manifestName,
  recordKind,
  ShardWriter,
  sealManifest,
  wrapKey,
} from '../../../shared/archive/index.ts';
import { Bucket, chance, root } from './sample-archive.ts';

const folder = join(fileURLToPath(new URL('../../fixture/archive', import.meta.url)), process.argv[2] ?? '');
const passphrase = 'Grüße aus dem Archiv 🚀';
const skim = new DocumentSkim();

interface Record {
  readonly kind: number;
  readonly name: Buffer;
  readonly content: Buffer;
  readonly at: number;
}

const document = (
  path: string,
  {
    fields,
    at = 1_700_000_000,
    made = at,
  }: {
    readonly fields: { readonly [field: string]: SeedValue };
    readonly at?: number | undefined;
    readonly made?: number | undefined;
  },
): Record => {
  const name = `${root}/${path}`;
  const values = new Map(Object.entries(fields).map(([field, value]) => [field, valueBytes(value)]));
  const [createTime, updateTime] = [timestampOf(made * 1_000_000 + 123_456), timestampOf(at * 1_000_000 + 654_321)];
  const content = Buffer.from(proto.Document.encode({ name, fields: values, createTime, updateTime }));
  return { kind: recordKind.document, name: Buffer.from(name), content, at };
};

const everyType: { readonly [field: string]: SeedValue } = {
  none: null,
  yes: true,
  no: false,
  zero: 0n,
  least: -9_223_372_036_854_775_808n,
  greatest: 9_223_372_036_854_775_807n,
  whole: 3,
  minusZero: -0,
  notANumber: Number.NaN,
  infinite: Number.NEGATIVE_INFINITY,
  small: 5e-324,
  text: 'Grüße 東京 🚀 \u0000 end',
  empty: '',
  bytes: new Uint8Array([0, 1, 254, 255]),
  when: timestampOf(-62_135_596_800_000_000),
  until: { seconds: 253_402_300_799n, nanos: 999_999_999 },
  where: { latitude: -90, longitude: 180 },
  reference: new Ref(`${root}/c/other`),
  list: [1n, 'two', [], { three: 3 }],
  map: { 'a.b': { '`': 1n }, '': null },
  vector: { __type__: '__vector__', value: [0.5, -1.5] },
};

/** Ids that break tools which build paths or keys from them. */
const hardIds = [
  '__id7__',
  '__id-12__',
  '.hidden',
  'a b',
  'a%2Fb',
  '..dots',
  'é',
  'e\u0301',
  '日本',
  '🚀',
  'x'.repeat(1_500),
  '"quoted"',
  "it's",
  'new\nline',
];

const small: readonly Record[] = [
  document('types/all', { fields: everyType }),
  document('types/empty', { fields: {} }),
  ...hardIds.map((id, i) => document(`hard/${id}`, { fields: { i: BigInt(i) }, at: 1_700_000_000 + i, made: 1_600_000_000 })),
  document('missing/parent/below/too/deep/down', { fields: { found: true } }),
  document('missing/parent/below/child', { fields: { found: true } }),
  {
    kind: recordKind.user,
    name: Buffer.from('accounts/uid-1'),
    content: Buffer.from('{"localId":"uid-1","email":"a@example.com"}'),
    at: 0,
  },
];

const dice = new SeededRandom(3);
/** Enough for several leaves, of words that compress well. */
const large: readonly Record[] = Array.from({ length: 80 }, (_, i) =>
  document(`large/${String(i).padStart(5, '0')}`, {
    fields: { n: BigInt(i), text: `${dice.text(40)} `.repeat(60) },
    at: 1_700_000_000 + i,
  }),
);

const sorted = (records: readonly Record[]): Record[] => [...records].sort((a, b) => compareNames(a.name, b.name));

const add = (writer: ShardWriter, { kind, name, content, at }: Record): void => {
  if (kind === recordKind.document) {
    skim.read(content, 0, content.length);
    writer.document(content, 0, content.length, skim);
    return;
  }
  const marks = { nameStart: 0, nameEnd: name.length, createdSeconds: 0, createdNanos: 0, updatedSeconds: at, updatedNanos: 0 };
  const bytes = Buffer.concat([name, content]);
  writer.record(kind === recordKind.user ? recordKind.user : recordKind.tombstone, bytes, marks, name.length, bytes.length);
};

const bucket = new Bucket();
const optionsOf = (backup: string) => {
  const identity: Identity = { organization: 'org_fixture', project: 'prj_fixture', backup };
  return { identity, dataKey: chance(`data key of ${backup}`)(32), random: chance(`random of ${backup}`) };
};

const finish = async (
  backup: string,
  {
    writer,
    records,
    parent = undefined,
  }: { readonly writer: ShardWriter; readonly records: readonly Record[]; readonly parent?: Manifest | undefined },
) => {
  const options = optionsOf(backup);
  const shard = writer.finish();
  const count = (kind: number): number => records.filter((record) => record.kind === kind).length;
  const manifest: Manifest = {
    formatVersion: 2,
    requiredFeatures: [],
    ...options.identity,
    parent: parent?.backup ?? null,
    source: root.replace('/documents', ''),
    readTime: '2026-01-02T03:04:05.678901Z',
    counts: { documents: count(recordKind.document), tombstones: count(recordKind.tombstone), users: count(recordKind.user) },
    collections: [{ id: 'hard', documents: hardIds.length }],
    objects: [
      ...(shard.chunk ? [shard.chunk] : []),
      shard.index,
      ...(parent?.objects ?? []).filter(({ name }) => name.startsWith('chunk')),
    ],
    pages: shard.pages,
    notes: { writtenBy: 'fixture' },
  };
  const sealed = sealManifest(manifest, { ...options, random: chance(`manifest of ${backup}`) });
  if (shard.chunk) bucket.put(backup, shard.chunk.name, Buffer.concat(writer.takeChunk()));
  bucket.put(backup, shard.index.name, Buffer.concat(writer.takeIndex()));
  bucket.put(backup, manifestName, sealed.bytes);
  const wraps = [await wrapKey(options.dataKey, passphrase, { identity: options.identity, random: chance(`wrap of ${backup}`) })];
  bucket.put(backup, keyFileName, encodeKeyFile({ identity: options.identity, wraps }));
  const lines = records.map(({ kind, name, content }) =>
    JSON.stringify({ kind, name: String(name), sha256: hash('sha256', content) }),
  );
  bucket.put(backup, 'expected.ndjson', Buffer.from(`${lines.join('\n')}\n`));
  bucket.put(
    backup,
    'expected.json',
    Buffer.from(
      `${JSON.stringify({ identity: options.identity, digest: sealed.digest, passphrase, dataKey: options.dataKey.toString('hex') }, undefined, 2)}\n`,
    ),
  );
  return { manifest, shard };
};

const main = async (): Promise<void> => {
  if (existsSync(folder)) throw new Error(`${folder} exists; fixtures are written once`);
  const nothing = new ShardWriter(0, optionsOf('bkp_empty'));
  await finish('bkp_empty', { writer: nothing, records: [] });

  const records = sorted([...small, ...large]);
  const full = new ShardWriter(0, optionsOf('bkp_full'));
  for (const record of records) add(full, record);
  const { manifest } = await finish('bkp_full', { writer: full, records });

  // One in ten is deleted, one in ten is changed and gets a new child; the rest is unchanged.
  const options = optionsOf('bkp_increment');
  const increment = new ShardWriter(0, options);
  const after: Record[] = [];
  const archive = bucket.open(manifest, () => optionsOf('bkp_full').dataKey);
  let i = 0;
  for await (const segment of archive.segments()) {
    const leaf = await archive.leaf(segment);
    for (let slot = segment.start; slot < segment.start + segment.count; slot++, i++) {
      const record = records[i] as Record;
      const path = String(record.name).slice(root.length + 1);
      const now: Record[] =
        record.kind !== recordKind.document || i % 5 !== 0
          ? [record]
          : i % 10 === 0
            ? [{ kind: recordKind.tombstone, name: record.name, content: Buffer.alloc(0), at: 1_700_100_000 }]
            : [
                document(path, { fields: { changed: true }, at: 1_700_100_000, made: 1_700_000_000 }),
                document(`${path}/new/one`, { fields: { added: true }, at: 1_700_100_000 }),
              ];
      if (now[0] === record) increment.keep(segment, slot, leaf.name(slot));
      else for (const one of now) add(increment, one);
      after.push(...now);
    }
  }
  await finish('bkp_increment', { writer: increment, records: after, parent: manifest });

  for (const [key, bytes] of bucket.objects) {
    const file = join(folder, key.replace(' ', '/'));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
};

await main();
