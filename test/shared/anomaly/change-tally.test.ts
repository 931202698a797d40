import { deepEqual, equal, ok } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'vitest';
import { ChangeTally, decodeStatistics } from '../../../shared/anomaly/index.ts';
import { ValueJudge } from '../../../shared/anomaly/value-judge.ts';
import { DocumentSkim } from '../../../shared/archive/index.ts';

const field = (number: number, bytes: Uint8Array): Buffer => Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) | 0x80);
  }
};
const number = (tag: number, value: number): Buffer => Buffer.concat([varint(tag * 8), varint(value)]);
const time = (seconds: number): Buffer => number(1, seconds);
type Value = string | Uint8Array | readonly Value[] | { readonly [name: string]: Value };
const entries = (values: Readonly<Record<string, Value>>, tag: number): Buffer =>
  Buffer.concat(
    Object.entries(values).map(([name, value]) =>
      field(tag, Buffer.concat([field(1, Buffer.from(name)), field(2, encode(value))])),
    ),
  );
const encode = (value: Value): Buffer => {
  if (typeof value === 'string') return field(17, Buffer.from(value));
  if (value instanceof Uint8Array) return field(18, value);
  if (Array.isArray(value)) return field(9, Buffer.concat(value.map((one: Value) => field(1, encode(one)))));
  return field(6, entries(value as Readonly<Record<string, Value>>, 1));
};
const root = 'projects/p/databases/(default)/documents';
const documentOf = (
  path: string,
  {
    values,
    created,
    updated,
  }: { readonly values: Readonly<Record<string, Value>>; readonly created: number; readonly updated: number },
): Buffer =>
  Buffer.concat([field(1, Buffer.from(`${root}/${path}`)), entries(values, 2), field(3, time(created)), field(4, time(updated))]);

const random = (seed: number, bytes: number): Buffer =>
  Buffer.concat(
    Array.from({ length: Math.ceil(bytes / 64) }, (_, n) => createHash('sha512').update(`${seed} ${n}`).digest()),
  ).subarray(0, bytes);

const opaqueShare = (kind: 'string' | 'bytes', values: readonly (string | Uint8Array)[]): number => {
  const judge = new ValueJudge();
  const opaque = values.filter((value) => {
    const bytes = Buffer.from(value as string);
    return judge.isOpaque(bytes, 0, bytes.length, kind);
  });
  return opaque.length / values.length;
};
const many = Array.from({ length: 120 }, (_, n) => n);

test('ciphertext is opaque in every usual form', () => {
  const forms: Readonly<Record<string, (bytes: Buffer) => string | Uint8Array>> = {
    bytes: (bytes) => bytes,
    hex: (bytes) => bytes.toString('hex'),
    base64: (bytes) => bytes.toString('base64'),
    base64url: (bytes) => bytes.toString('base64url'),
    latin1: (bytes) => bytes.toString('latin1'),
    broken: (bytes) => bytes.toString('utf8'),
  };
  for (const [name, form] of Object.entries(forms))
    for (const length of [24, 64, 400]) {
      const share = opaqueShare(
        name === 'bytes' ? 'bytes' : 'string',
        many.map((n) => form(random(n, length))),
      );
      ok(share > 0.8, `${name} of ${length} bytes: ${share}`);
    }
});

test('text of people and programs is not', () => {
  const texts = [
    'The quick brown fox jumps over the lazy dog near the river bank.',
    'Ada Lovelace, 12 St James Square, London SW1Y 4JH, United Kingdom',
    'ada.lovelace+orders42@example-shop.com',
    'https://www.example.com/products/blue-shoes?size=42&color=navy',
    '2026-11-16T14:48:34.123456Z',
    '+49 (0) 151 2345 6789',
    'DE89370400440532013000',
    '{"status":"paid","items":[{"sku":"A-100","count":2}],"total":1999}',
    'Donaudampfschifffahrtsgesellschaftskapitän fährt nach Österreich',
    'Привет, как дела? Всё хорошо, спасибо большое.',
    '東京都千代田区丸の内一丁目九番地にあります。',
    'getUserNameFromDatabaseConnectionPool',
    'ORDER CONFIRMED AND SHIPPED TO CUSTOMER',
    '1234567890123456789012345678',
  ];
  const judge = new ValueJudge();
  deepEqual(
    texts.filter((text) => judge.isOpaque(Buffer.from(text), 0, Buffer.byteLength(text), 'string')),
    [],
  );
  equal(
    opaqueShare(
      'bytes',
      texts.map((text) => Buffer.from(text)),
    ),
    0,
  );
});

const observe = (tally: ChangeTally, bytes: Buffer): void => {
  const marks = new DocumentSkim();
  marks.read(bytes, 0, bytes.length);
  tally.observe(bytes, 0, bytes.length, marks);
};

test('documents are counted by what happened since, with fields at any depth by their top-level name', () => {
  const tally = new ChangeTally({ seconds: 1_000, nanos: 0 });
  const text = 'some readable words of a person';
  observe(
    tally,
    documentOf('users/a', { values: { bio: text, tags: [text], at: { deep: [{ er: text }] } }, created: 10, updated: 20 }),
  );
  observe(tally, documentOf('users/b', { values: { bio: random(1, 64) }, created: 10, updated: 1_001 }));
  observe(
    tally,
    documentOf('users/b/orders/c', {
      values: { at: { deep: [{ er: random(2, 64).toString('base64') }] } },
      created: 1_001,
      updated: 1_001,
    }),
  );
  observe(tally, documentOf('users/d', { values: { bio: text }, created: 1_000, updated: 1_000 }));
  const found = decodeStatistics(tally.encode());
  const users = found.get('users');
  deepEqual([users?.documents, users?.changed, users?.added], [3, 1, 0]);
  deepEqual(users?.ofUnchanged.fields.get('bio'), { present: 2, opaque: 0 });
  deepEqual(users?.ofChanged.fields.get('bio'), { present: 1, opaque: 1 });
  deepEqual(users?.ofUnchanged.fields.get('at'), { present: 1, opaque: 0 });
  deepEqual(found.get('orders')?.ofAdded.fields.get('at'), { present: 1, opaque: 1 });
  equal(found.get('orders')?.added, 1);
  ok((users?.ofUnchanged.bits ?? 0) > 2 * 3);
});

test('broken bytes end the look into a document, and nothing else', () => {
  const tally = new ChangeTally(undefined);
  const whole = documentOf('users/a', { values: { bio: 'words' }, created: 1, updated: 1 });
  const marks = new DocumentSkim();
  marks.read(whole, 0, whole.length);
  for (let end = marks.nameEnd; end < whole.length; end++) tally.observe(whole, 0, end, marks);
  tally.observe(Buffer.concat([whole, Buffer.alloc(12, 0xff)]), 0, whole.length + 12, marks);
  equal(tally.statistics.get('users')?.documents, whole.length - marks.nameEnd + 1);
});

test('many documents, fields and collections stay within bounds, and the counts stay exact', () => {
  const tally = new ChangeTally({ seconds: 100, nanos: 0 });
  const body = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`field-${n}`, 'x']));
  for (let n = 0; n < 6_000; n++)
    observe(
      tally,
      documentOf(`users/${String(n).padStart(5, '0')}`, {
        values: { bio: `words ${n}` },
        created: 1,
        updated: n % 2 === 0 ? 1 : 200,
      }),
    );
  for (let n = 0; n < 520; n++) observe(tally, documentOf(`group-${n}/a`, { values: body, created: 1, updated: 200 }));
  const text = tally.encode();
  ok(Buffer.byteLength(text) <= 48 << 10);
  const found = decodeStatistics(text);
  const sum = (of: 'documents' | 'changed'): number => [...found.values()].reduce((total, one) => total + one[of], 0);
  deepEqual([sum('documents'), sum('changed')], [6_520, 3_520]);
  const users = found.get('users');
  ok((users?.ofUnchanged.examined ?? 0) < 1_500);
  // The weights stand for all of them.
  ok(Math.abs((users?.ofUnchanged.documents ?? 0) - 3_000) < 600);
  ok((users?.ofChanged.examined ?? 0) > 2_200);
});
