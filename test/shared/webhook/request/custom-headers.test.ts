import { deepEqual, doesNotThrow, equal, ok, throws } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { webhooks } from '../../../../shared/contract/endpoints/webhooks.ts';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { validate } from '../../../../shared/http/validate.ts';
import { secretMask as mask } from '../../../../shared/platform/index.ts';
import { checkHeaders, isSensitive, maskHeaders } from '../../../../shared/webhook/request/custom-headers.ts';

const refused = (headers: Record<string, string>): { field: string; reason: string } => {
  try {
    checkHeaders(headers);
  } catch (error) {
    ok(error instanceof ApiError && error.code === 'VALIDATION_ERROR');
    return error.details as { field: string; reason: string };
  }
  throw new Error(`${JSON.stringify(headers).slice(0, 100)} was taken`);
};

const ours = [
  ...['Connection', 'keep-alive', 'Proxy-Authorization', 'proxy-connection', 'TE', 'Trailer', 'Transfer-Encoding', 'UPGRADE'],
  ...['Host', 'hOST', 'Expect', 'Content-Type', 'content-length', 'Content-Encoding', 'CONTENT-ANYTHING'],
  ...['X-Service-Signature', 'x-service-timestamp', 'X-SERVICE-DELIVERY-ID', 'x-webhook-signature', 'X-Webhook-Event'],
  ...['webhook-id', 'Webhook-Signature', 'webhook-timestamp'],
];
for (const name of ours)
  test(`checkHeaders: ${name} is reserved for the service`, () => {
    equal(refused({ [name]: 'x' }).field, `headers.${name}`);
  });

for (const name of ['constructor', 'Constructor', 'prototype', '__proto__'])
  test(`checkHeaders: ${name} is refused, because it is a property of objects`, () => {
    equal(refused(JSON.parse(`{"${name}":"x"}`)).field, `headers.${name}`);
  });

for (const row of [webhooks.create, webhooks.update])
  test(`${row.method}: a header named __proto__ is refused, not ignored`, () => {
    const given = `{"name":"a","url":"https://example.com","events":["*"],"headers":{"X-A":"b","__proto__":"x"}}`;
    const refusal = { field: 'headers.__proto__', reason: 'is not a valid header name' };
    throws(() => validate(row.body, JSON.parse(given), 'body'), {
      code: 'VALIDATION_ERROR',
      details: { ...refusal, errors: [refusal] },
    });
    const { headers } = row.body.parse({ name: 'a', url: 'https://example.com', events: ['*'] });
    deepEqual(headers, row === webhooks.create ? {} : undefined);
  });

for (const name of ['', 'a b', 'a:b', 'a\r\nHost', 'a\nb', 'ä', 'a(b)', 'a/b', '"a"', 'a\0', ' a', 'a\t'])
  test(`checkHeaders: ${JSON.stringify(name)} is not a valid name`, () => {
    equal(refused({ [name]: 'x' }).field, 'headers');
  });

for (const value of ['a\r\nX-Service-Signature: forged', 'a\n', '\r', 'a\0b', 'ä', '\u007f', '\u2028', '\u{1F600}'])
  test(`checkHeaders: ${JSON.stringify(value)} is not a valid value, and the error does not contain it`, () => {
    const { field, reason } = refused({ 'X-A': value });
    equal(field, 'headers.X-A');
    ok(!reason.includes(value));
  });

for (const value of [mask, `Bearer ${mask}`, '***', '\u2022\u2022\u2022'])
  test(`checkHeaders: the masked value ${value} is refused`, () => {
    throws(() => checkHeaders({ Authorization: value }), { code: 'VALIDATION_ERROR' });
  });

test('checkHeaders: names that differ only in case are duplicates', () => {
  equal(refused({ 'X-Env': 'a', 'x-env': 'b' }).field, 'headers.x-env');
});

test('checkHeaders: names and values together have at most 3,500 bytes', () => {
  doesNotThrow(() => checkHeaders({ 'X-A': 'a'.repeat(1_747), 'X-B': 'b'.repeat(1_747) }));
  equal(refused({ 'X-A': 'a'.repeat(1_747), 'X-B': 'b'.repeat(1_748) }).field, 'headers');
});

test('checkHeaders: every unreserved token with any printable value is accepted', () => {
  const name = fc.stringMatching(/^X-[!#$%&'*+.^_`|~0-9A-Za-z-]{1,20}$/).filter((text) => !/^x-(service|webhook)-/i.test(text));
  const value = fc.stringMatching(/^[\t -~]{0,50}$/).filter((text) => !/\*{3}/.test(text));
  fc.assert(fc.property(name, value, (given, text) => doesNotThrow(() => checkHeaders({ [given]: text }))));
});

const credentials = [
  ...['Authorization', 'Cookie', 'X-Api-Key', 'X-API-KEY', 'apikey', 'X-Auth', 'X-Auth-Token', 'X-Token', 'X-Access-Token'],
  ...['X-Secret', 'X-Password', 'X-Passwd', 'X-Credential', 'X-Hub-Signature', 'X-Session-Id', 'X-Gitlab-Token', 'X-JWT'],
  ...['X-Pass', 'X-Hmac', 'X-Sig', 'X-Api', 'X-PAT', 'pin', 'X-User-Pin', 'X-OTP', 'X-Access'],
];
for (const name of credentials)
  test(`maskHeaders: the value of ${name} is masked`, () => {
    ok(isSensitive(name));
    deepEqual(maskHeaders({ [name]: 'value', 'X-Environment': 'production' }), { [name]: mask, 'X-Environment': 'production' });
  });

const tokens = [
  ...['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', 'ghp_16C7e42F292c6912E7710c838347Ae178B4a', 'gho_x', 'github_pat_11A'],
  ...['sk_live_51H', 'pk_test_1', 'rk_live_1', 'xoxb-12-34', 'AKIAIOSFODNN7EXAMPLE', 'glpat-abc', 'ApiKey VnVhQ2ZHY0JDZGJrU'],
  ...['0123456789abcdef0123456789abcdef', 'id=c2VjcmV0IG9mIHRoZSB0ZXN0cyBvZiB3ZWJob29rcw==', 'a8_Zt-qL2mX0pW7rV4sY1nB6kD3fH9jC'],
];
for (const value of tokens)
  test(`maskHeaders: ${value} looks like a token and is masked under any name`, () => {
    deepEqual(maskHeaders({ 'X-Custom': value }), { 'X-Custom': mask });
  });

test('maskHeaders: values that are not credentials are shown', () => {
  const plain = {
    'X-Environment': 'production',
    'X-Path': '/hooks/backup',
    'X-Shipping': 'eu-central-1',
    'X-Team': 'ops@example.com',
  };
  deepEqual(maskHeaders(plain), plain);
});

test('maskHeaders: a value that begins with an authentication scheme is masked under any name', () => {
  deepEqual(maskHeaders({ 'X-Custom': 'Bearer abc', 'X-Other': 'Basic dTpw', 'X-Plain': 'bearings' }), {
    'X-Custom': mask,
    'X-Other': mask,
    'X-Plain': 'bearings',
  });
});
