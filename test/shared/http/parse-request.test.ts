import { deepEqual, equal, throws } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { ApiError } from '../../../shared/contract/errors.ts';
import { bodyMaxBytes, bodyMaxDepth, bodyMaxValues } from '../../../shared/contract/limits.ts';
import { parseRequest, readJson, readQuery, refuseLargeBody } from '../../../shared/http/parse-request.ts';
import { eventOf, type Request } from '../../harness/aws/api-event.ts';
import { anyCharacter } from '../../harness/builders/any-character.ts';

const json = { 'content-type': 'application/json' };
const parse = (request: Request, isOptional = false) =>
  readJson(parseRequest(eventOf({ headers: json, ...request })), isOptional);
const refused = (code: string, field?: string) => (error: unknown) =>
  error instanceof ApiError && error.code === code && (field === undefined || error.details?.field === field);

test('readJson: a JSON body is parsed', () => deepEqual(parse({ body: '{"a":[1,null,"ü"]}' }), { a: [1, null, 'ü'] }));
test('readJson: a base64-encoded body is decoded', () =>
  deepEqual(parse({ body: Buffer.from('{"a":"ü"}').toString('base64'), isBase64Encoded: true }), { a: 'ü' }));

for (const body of ['{', '', 'undefined', '{"a":1}}', "{'a':1}", '{"a":NaN}', '\u0000'])
  test(`readJson: ${JSON.stringify(body)} is not valid JSON`, () =>
    throws(() => parse({ body }), refused('VALIDATION_ERROR', 'body')));

test('readJson: a body that is not UTF-8 is refused', () => {
  const bytes = Buffer.from([0x22, 0xc3, 0x28, 0x22]);
  throws(() => parse({ body: bytes.toString('base64'), isBase64Encoded: true }), refused('VALIDATION_ERROR', 'body'));
});

test('readJson: an absent optional body is an empty object, whatever the Content-Type', () => {
  deepEqual(parse({ headers: {} }, true), {});
  deepEqual(parse({ headers: { 'content-type': 'text/plain' }, body: '' }, true), {});
});

for (const type of ['text/plain', '', 'application/json-patch+json', 'application/jsonx', 'multipart/form-data', 'text/json'])
  test(`readJson: Content-Type ${JSON.stringify(type)} is UNSUPPORTED_MEDIA_TYPE`, () =>
    throws(() => parse({ headers: { 'content-type': type }, body: '{}' }), refused('UNSUPPORTED_MEDIA_TYPE')));

for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/json ;x=y'])
  test(`readJson: Content-Type ${type} is accepted`, () =>
    deepEqual(parse({ headers: { 'Content-Type': type }, body: '{}' }), {}));

test('readJson: of duplicate keys the last one wins', () =>
  deepEqual(parse({ body: '{"role":"viewer","role":"owner"}' }), { role: 'owner' }));

for (const [body, field] of [
  ['{"__proto__":{"role":"owner"}}', '__proto__'],
  ['{"a":[{"b":{"__proto__":1}}]}', 'a.0.b.__proto__'],
  ['{"\\u005f_proto__":null}', '__proto__'],
  ['{"constructor":{"prototype":{"role":"owner"}}}', 'constructor.prototype'],
] as const)
  test(`readJson: a key that names a prototype is refused by its name: ${body}`, () =>
    throws(() => parse({ body }), refused('VALIDATION_ERROR', field)));

test('readJson: fields may be named like parts of a prototype', () =>
  deepEqual(parse({ body: '{"constructor":{"stringValue":"x"},"prototype":1,"toString":null}' }), {
    constructor: { stringValue: 'x' },
    prototype: 1,
    toString: null,
  }));

test('readJson: a body has at most 100 levels', () => {
  const nested = (levels: number): string => `${'{"a":['.repeat(levels / 2)}${']}'.repeat(levels / 2)}`;
  parse({ body: nested(bodyMaxDepth) });
  for (const levels of [bodyMaxDepth + 2, 20_000, 200_000])
    throws(() => parse({ body: nested(levels) }), refused('VALIDATION_ERROR', 'body'));
});

test('readJson: a body with too many values is refused, however they are arranged', () => {
  const wide = (count: number) => JSON.stringify({ events: Array(count - 1).fill(1) });
  equal((parse({ body: wide(bodyMaxValues) }) as { events: unknown[] }).events.length, bodyMaxValues - 1);
  const rows = JSON.stringify(Array(bodyMaxValues / 2).fill({ a: 1, b: 2 }));
  for (const body of [wide(bodyMaxValues + 1), wide(500_000), rows])
    throws(() => parse({ body }), refused('VALIDATION_ERROR', 'body'));
});

test('refuseLargeBody: a body of exactly the limit is accepted, one more byte is refused', () => {
  const size =
    (text: string, isBase64Encoded = false) =>
    () =>
      refuseLargeBody(parseRequest(eventOf({ body: text, isBase64Encoded })));
  size('a'.repeat(bodyMaxBytes))();
  throws(size('a'.repeat(bodyMaxBytes + 1)), refused('PAYLOAD_TOO_LARGE'));
  throws(size('ü'.repeat(bodyMaxBytes / 2 + 1)), refused('PAYLOAD_TOO_LARGE'));
  size(Buffer.alloc(bodyMaxBytes).toString('base64'), true)();
  throws(size(Buffer.alloc(bodyMaxBytes + 1).toString('base64'), true), refused('PAYLOAD_TOO_LARGE'));
});

test('readQuery: parameters are decoded', () => deepEqual(readQuery('a=1&b=%C3%BC+x&c='), { a: '1', b: 'ü x', c: '' }));
test('readQuery: a repeated parameter is refused by name', () =>
  throws(() => readQuery('a=1&b=2&a=1'), refused('VALIDATION_ERROR', 'a')));
test('readQuery: a parameter named __proto__ is kept', () => deepEqual(Object.keys(readQuery('__proto__=1')), ['__proto__']));
test('readQuery: arbitrary text throws only validation errors', () =>
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      try {
        readQuery(text);
      } catch (error) {
        equal((error as ApiError).code, 'VALIDATION_ERROR');
      }
    }),
  ));

test('parseRequest: header names are case-insensitive, and malformed cookies are ignored', () => {
  const { headers, cookies } = parseRequest(eventOf({ headers: { 'X-Organization-ID': 'a' }, cookies: ['a=b=c', 'd=', 'e'] }));
  equal(headers['x-organization-id'], 'a');
  deepEqual(cookies, { a: 'b=c', d: '', e: '' });
});

test('parseRequest: a user agent is truncated and has no line breaks', () => {
  const { origin } = parseRequest(eventOf({ headers: { 'user-agent': `a\r\nb\u0000\ud800${'x'.repeat(2_000)}` } }));
  equal(origin.userAgent?.length, 512);
  equal(origin.userAgent?.slice(0, 6), 'a  b \ufffd');
});
