/** Rules that are invalid or contradict each other are refused by name; the others have one meaning. */
import { deepEqual, doesNotThrow, equal, match } from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { test } from 'vitest';
import { en } from 'zod/locales';
import { ApiError } from '../../../shared/contract/errors.ts';
import { fakeTypes, Transform, type TransformRule } from '../../../shared/contract/models/transform.ts';
import { compileRules } from '../../../shared/mask/compile-rules.ts';
import { fakeText } from '../../../shared/mask/fake-text.ts';
import { KeyedDigest } from '../../../shared/mask/keyed-digest.ts';
import { canOverlap, type RuleSegment } from '../../../shared/mask/rule-path.ts';

const rule = (collection: string, field: string, transform: TransformRule['transform'] = 'redact'): TransformRule => ({
  collection,
  field,
  transform,
});
const refused = (...rules: readonly TransformRule[]): ApiError => {
  try {
    compileRules(rules);
  } catch (error) {
    if (error instanceof ApiError) return error;
  }
  throw new Error(`accepted: ${JSON.stringify(rules)}`);
};

test('overlapping rules of equal specificity with different transforms are refused, and both are named', () => {
  const pairs: readonly (readonly [TransformRule, TransformRule])[] = [
    [rule('users', 'email'), rule('users', 'email', 'hash')],
    [rule('users', '`email`'), rule('users', 'email', 'null')],
    [rule('users', 'address.*'), rule('users', '*.street', 'keep')],
    [rule('*', 'email'), rule('**', 'email', 'hash')],
    [rule('users/*/orders', 'a'), rule('*/ada/orders', 'a', 'hash')],
    [rule('users', 'a[]'), rule('users', 'a[*]', 'hash')],
    [rule('users', '**.a'), rule('users', '**.b', 'hash')],
  ];
  for (const [a, b] of pairs) {
    const { code, message, details } = refused(rule('other', 'x'), a, b);
    equal(code, 'VALIDATION_ERROR');
    match(message, /options\.transform\.rules\.2: overlaps with rule 2/);
    deepEqual(details?.overlapping, [a, b]);
  }
});

test('overlapping rules are accepted if one is more specific or both do the same', () => {
  const pairs: readonly (readonly [TransformRule, TransformRule])[] = [
    [rule('users', 'email'), rule('users', 'email')],
    [rule('users', 'email'), rule('*', 'email', 'hash')],
    [rule('users', 'email'), rule('users', '*', 'keep')],
    [rule('users', 'address'), rule('users', 'address.street', 'keep')],
    [rule('users', '*'), rule('users', '**', 'keep')],
    [rule('users', 'a.b'), rule('users', 'a.c', 'keep')],
    [rule('users', 'a[].b'), rule('users', 'a.*.b', 'keep')],
    [rule('users/*/orders', 'a'), rule('shops/*/orders', 'a', 'hash')],
  ];
  for (const pair of pairs) doesNotThrow(() => compileRules(pair), JSON.stringify(pair));
});

test('invalid paths are refused at their field, with the reason', () => {
  const cases: readonly (readonly [collection: string, field: string, at: 'collection' | 'field', reason: RegExp])[] = [
    ['users/ada', 'a', 'collection', /path of a collection/],
    ['users/', 'a', 'collection', /separator/],
    ['/users', 'a', 'collection', /unexpected "\/"/],
    ['us*', 'a', 'collection', /unexpected "\*"/],
    ['**/a/**', 'a', 'collection', /at most once/],
    ['users', 'a.', 'field', /separator/],
    ['users', '.a', 'field', /unexpected "\."/],
    ['users', 'a..b', 'field', /unexpected/],
    ['users', 'a[0]', 'field', /unexpected "\["/],
    ['users', '[]', 'field', /unexpected/],
    ['users', 'na*me', 'field', /unexpected "\*"/],
    ['users', '***', 'field', /unexpected/],
    ['users', '`a', 'field', /unexpected "`"/],
    ['users', '__name__', 'field', /keeps the names of documents/],
    ['users', 'a.__type__', 'field', /reserved/],
    ['users', Array(60).fill('a').join('.'), 'field', /at most 40 segments/],
    ['users', '**.a.**', 'field', /at most once/],
  ];
  for (const [collection, field, at, reason] of cases) {
    const { code, details } = refused(rule(collection, field));
    deepEqual([code, details?.field], ['VALIDATION_ERROR', `options.transform.rules.0.${at}`], `${collection} ${field}`);
    match(String(details?.reason), reason);
  }
});

const problemsOf = (given: unknown): readonly string[] =>
  Transform.safeParse(given, { error: en().localeError }).error?.issues.map(
    ({ path, message }) => `${path.join('.')} ${message}`,
  ) ?? [];

test('requests: words are read without case and separators, and a list of rules alone is accepted', () => {
  const parsed = Transform.parse([{ collection: 'users', field: 'mail', transform: 'Fake', type: 'E-Mail' }]);
  deepEqual(parsed, {
    rules: [{ collection: 'users', field: 'mail', transform: 'fake', type: 'email' }],
    allowUnmatched: false,
  });
  const one = { collection: 'users', field: 'mail', transform: 'redact' };
  match(problemsOf([{ ...one, transform: 'scramble' }]).join(), /rules\.0\.transform .*redact/);
  match(problemsOf([{ ...one, transform: 'fake', type: 'ssn' }]).join(), /rules\.0\.type .*iban/);
  match(problemsOf([{ ...one, transform: 'fake' }]).join(), /rules\.0\.type is required with fake/);
  match(problemsOf([{ ...one, type: 'email' }]).join(), /rules\.0\.type belongs to fake/);
  match(problemsOf([]).join(), /must have a rule/);
  match(problemsOf({ rules: Array(10_000).fill(one) }).join(), /at most 200 rules/);
  match(problemsOf([{ ...one, field: 'a.'.repeat(5_000) }]).join(), /at most 1500 characters/);
  match(problemsOf([{ ...one, filed: 'a' }]).join(), /filed/);
});

test('limits: rules above 24 KB are refused, and 200 contradicting wildcards are found quickly', () => {
  match(refused(...Array.from({ length: 40 }, (_, n) => rule('users', `f${n}${'x'.repeat(800)}`))).message, /24576 bytes/);
  const wildcards = Array.from({ length: 100 }, (_, n) => rule('**/o', `**.a.*.*.f${n}`));
  equal(refused(...wildcards, rule('**/o', '**.f1.*.*.b', 'hash')).code, 'VALIDATION_ERROR');
});

test('limits: the check of overlaps compares each pair of segments once, however many wildcards the paths have', () => {
  const wild = [...Array<RuleSegment>(12).fill({ kind: 'any' }), { kind: 'deep' }] as const;
  const path = (name: string): readonly RuleSegment[] => [...Array(20).fill(wild).flat(), { kind: 'name', name }];
  // A check that branches at each wildcard does not end.
  equal(canOverlap(path('a'), path('b')), false);
  equal(canOverlap(path('a'), path('a')), true);
});

test('the digest of values is HMAC-SHA-256', () => {
  const key = Buffer.from('a key of a job, 32 bytes long 123');
  const digest = new KeyedDigest(key);
  for (const input of ['', 'ada@example.com', 'ä'.repeat(5_000)])
    for (const given of [input, Buffer.from(input)])
      equal(digest.of('hash\n', given).toString('hex'), createHmac('sha256', key).update(`hash\n${input}`).digest('hex'));
});

test('fakes are plausible, reserved and unique as far as their kind allows', () => {
  const of = (type: (typeof fakeTypes)[number], original = 'original') =>
    fakeText(type, original, createHash('sha256').update(`${type} ${original}`).digest());
  for (const type of fakeTypes) match(of(type), /^[\x20-\x7e]+$/, type);
  match(of('email'), /^[a-z]+\.[a-z]+\.[0-9a-f]{10}@example\.(com|org)$/);
  match(of('phone'), /^\+1[2-9]\d{2}55501\d{2}$/);
  match(of('ip', '10.1.2.3'), /^(192\.0\.2|198\.51\.100|203\.0\.113)\.\d{1,3}$/);
  match(of('ip', 'fe80::1'), /^2001:db8::/);
  match(of('uuid'), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  match(of('date', '1990-01-01'), /^\d{4}-\d\d-\d\d$/);
  match(of('date', '1990-01-01T10:00:00Z'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const emails = new Set(Array.from({ length: 5_000 }, (_, n) => of('email', `user${n}@shop.test`)));
  equal(emails.size, 5_000);
  for (let n = 0; n < 200; n++) {
    const iban = of('iban', `DE${n}`);
    const digits = `${iban.slice(4)}1314${iban.slice(2, 4)}`;
    equal(BigInt(digits) % 97n, 1n, iban);
    const card = [...of('creditCard', `${n}`)].map(Number);
    const luhn = card.reduceRight((sum, digit, at) => {
      const doubled = (card.length - 1 - at) % 2 === 1 ? digit * 2 : digit;
      return sum + (doubled > 9 ? doubled - 9 : doubled);
    }, 0);
    deepEqual([card.length, luhn % 10], [16, 0]);
  }
});
