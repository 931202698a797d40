/** Validation of webhook input by its schema and rules: URLs, numbers, names and secrets. */
import { deepEqual, doesNotThrow, equal, ok, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { webhooks } from '../../../../shared/contract/endpoints/webhooks.ts';
import { ApiError, type ErrorDetails } from '../../../../shared/contract/errors.ts';
import { validate } from '../../../../shared/http/validate.ts';
import { secretMask as mask, unsafeTenant } from '../../../../shared/platform/index.ts';
import {
  checkGiven,
  checkInput,
  checkUrlAndProjects,
  filtersOf,
  type WebhookInput,
} from '../../../../shared/webhook/api/webhook-input.ts';
import type { WebhookRecord } from '../../../../shared/webhook/model/record.ts';

Object.assign(process.env, { WEBHOOK_HOSTS: 'localhost', PUBLIC_URL: 'https://api.backups.example' });
const tenant = unsafeTenant('org_1', 'record');

const complete = { name: 'Hook', url: 'https://example.com/hook', events: ['backup.*'] };

const encoded = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;

/** Error details of a create request with these fields. */
const refusal = async (given: object): Promise<ErrorDetails> => {
  try {
    const body: WebhookInput = validate(webhooks.create.body, { ...complete, ...given }, 'body');
    checkInput(body);
    await checkUrlAndProjects(tenant, body);
  } catch (error) {
    ok(error instanceof ApiError && error.code === 'VALIDATION_ERROR', String(error));
    return error.details ?? {};
  }
  throw new Error(`${JSON.stringify(given).slice(0, 100)} was taken`);
};

const noHttps = [
  ...['http://example.com', 'ftp://example.com', 'example.com', 'https:example.com', 'https://', 'https:///path', '', ' '],
  ...['https://exa mple.com', ' https://example.com', 'javascript:alert(1)', 'file:///etc/passwd', 'http://localhost:1/'],
];
for (const url of noHttps)
  test(`webhook input: url ${JSON.stringify(url)} is not a valid HTTPS URL`, async () => {
    deepEqual(await refusal({ url }), { field: 'url', reason: 'must be a valid HTTPS URL' });
  });

const inside = [
  ...['https://127.0.0.1', 'https://[::1]', 'https://0', 'https://127.1', 'https://0177.0.0.1', 'https://2130706433'],
  ...['https://①②⑦.0.0.1', 'https://0x7f.1', 'https://0xA9FEA9FE', 'https://10.0.0.1:8443/x', 'https://192.168.1.1'],
  ...['https://169.254.169.254/latest/meta-data/', 'https://[fd00:ec2::254]', 'https://[::ffff:169.254.169.254]'],
  ...['https://[64:ff9b::a9fe:a9fe]', 'https://[2002:a9fe:a9fe::1]', 'https://[::]', 'https://[fe80::1]', 'https://100.64.0.1'],
];
for (const url of inside)
  test(`webhook input: url ${url} is not public`, async () => {
    deepEqual(await refusal({ url }), { field: 'url', reason: 'must be a public address' });
  });

for (const url of ['https://example.com/hooks/********', 'https://example.com/hook?key=%2A%2A%2A%2A%2A%2A%2A%2A'])
  test(`webhook input: the masked url ${url} is refused, so that it cannot replace the actual one`, async () => {
    deepEqual(await refusal({ url }), { field: 'url', reason: 'is the masked value; send the actual URL' });
  });

const elsewise = [
  // More than KMS encrypts, although short enough in characters.
  `https://example.com/${'漢'.repeat(1_400)}`,
  `https://example.com/${'a'.repeat(5_000)}`,
  'https://user:password@example.com',
  'https://@example.com',
  ...['https://api.backups.example', 'https://API.backups.example./api/v1', 'https://api.backups.example:443/x'],
  ...[5, null, ['https://example.com'], {}],
];
for (const url of elsewise)
  test(`webhook input: url ${JSON.stringify(url).slice(0, 60)} is refused`, async () => {
    equal((await refusal({ url })).field, 'url');
  });

for (const timeout of [0, -1, 99, 60_001, '30s', '30000', Number.NaN, null, 1.5, 1e9])
  test(`webhook input: timeout ${JSON.stringify(timeout)} is refused`, async () => {
    equal((await refusal({ timeout })).field, 'timeout');
  });

const wrongEvents: readonly [string[], string[], string][] = [
  [[], [], 'standard'],
  [['backup.done'], ['backup.done'], 'standard'],
  [['*', 'x'], ['x'], 'standard'],
  [['backup', 'backup*', '.*', 'backup.'], ['backup', 'backup*', '.*', 'backup.'], 'standard'],
  [['backups.*'], ['backups.*'], 'standard'],
  [['backup_completed'], ['backup_completed'], 'standard'],
  [['storage.error', 'backup.started'], ['storage.error'], 'simple'],
  [['organization.*'], ['organization.*'], 'simple'],
];
for (const [events, invalidValues, format] of wrongEvents)
  test(`webhook input: events ${JSON.stringify(events)} of the ${format} format are refused with invalid and allowed values`, async () => {
    const details = await refusal({ events, format });
    equal(details.field, 'events');
    deepEqual(details.invalidValues, invalidValues);
    equal((details.allowedValues as string[]).length, format === 'simple' ? 9 : 40);
  });

test('webhook input: 10,000 events are refused; a long invalid name is truncated in the error', async () => {
  deepEqual((await refusal({ events: ['x'.repeat(100_000)] })).invalidValues, ['x'.repeat(100)]);
  equal((await refusal({ events: Array.from({ length: 10_000 }, () => 'backup.started') })).field, 'events');
});

for (const secret of [
  '',
  'abc',
  'fifteen letters',
  encoded(15),
  'a'.repeat(10_240),
  mask,
  `whsec_${mask}`,
  'with\nbreak',
  ' padded secret ',
  12_345_678,
  null,
])
  test(`webhook input: secret ${JSON.stringify(secret).slice(0, 40)} of the standard format is refused`, async () => {
    equal((await refusal({ secret })).field, 'secret');
  });

test('webhook input: a secret with 16 bytes of key is accepted, decoded or as it is', () => {
  for (const secret of [encoded(16), 'sixteen letters!']) equal(checkInput({ ...complete, secret }).format, 'standard');
});

test('webhook input: too many headers, a value that is too long, and a value that is not text are refused', async () => {
  const headers = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`X-${n}`, 'x']));
  equal((await refusal({ headers })).field, 'headers');
  equal((await refusal({ headers: { 'X-A': 'a'.repeat(1 << 20) } })).field, 'headers');
  equal((await refusal({ headers: { 'X-A': 1 } })).field, 'headers.X-A');
});

test('webhook input: unknown filters, unknown triggers and invalid project ids are refused', async () => {
  equal((await refusal({ filters: { project: [] } })).field, 'filters.project');
  deepEqual((await refusal({ filters: { trigger: ['nightly'] } })).invalidValues, ['nightly']);
  equal((await refusal({ filters: { projects: ['prj_1'] } })).field, 'filters.projects.0');
});

type Stored = Pick<WebhookRecord, 'format' | 'events' | 'sealedSecret'>;
const signed: Stored = { format: 'standard', events: ['backup.*', 'storage.error'], sealedSecret: new Uint8Array(1) };
const unsigned: Stored = { format: 'simple', events: ['backup.started'] };

const told = (wish: WebhookInput, record: Stored): unknown => {
  try {
    return checkInput(wish, record);
  } catch (error) {
    ok(error instanceof ApiError);
    return error.details?.field;
  }
};

test('webhook input: a change of format is validated against the resulting events', () => {
  equal(told({ format: 'simple' }, signed), 'events');
  deepEqual(told({ format: 'simple', events: ['backup.*'] }, signed), { format: 'simple', events: ['backup.*'] });
  deepEqual(told({ format: 'simple', events: ['*', '*'] }, signed), { format: 'simple', events: ['*'] });
  deepEqual(told({ name: 'Other' }, signed), { format: 'standard', events: signed.events });
});

test('webhook input: the standard format requires a secret', () => {
  equal(told({ format: 'standard' }, unsigned), 'secret');
  equal(told({ secret: null }, signed), 'secret');
  equal(told({ format: 'standard', secret: null }, unsigned), 'secret');
  deepEqual(told({ format: 'standard', secret: 'a secret of our own' }, unsigned), {
    format: 'standard',
    events: unsigned.events,
  });
  deepEqual(told({ secret: null }, unsigned), { format: 'simple', events: unsigned.events });
  deepEqual(told({ format: 'simple', events: ['*'], secret: null }, signed), { format: 'simple', events: ['*'] });
});

test('filtersOf: every filter is present, without duplicate values; a list that is not given stays', () => {
  deepEqual(filtersOf({ trigger: ['manual', 'manual'] }), { projects: [], trigger: ['manual'], excludeTrigger: [] });
  const current = { projects: ['prj_1'], trigger: ['manual'], excludeTrigger: ['safety'] };
  deepEqual(filtersOf({ excludeTrigger: [] }, current), { ...current, excludeTrigger: [] });
  deepEqual(filtersOf({}, current), current);
});

test('webhook input: an unresolvable name, a trusted host and a public address are accepted', async () => {
  for (const url of ['https://nowhere.invalid/x', 'https://localhost:8443/hook?a=b', 'https://8.8.8.8/'])
    await checkUrlAndProjects(tenant, { url });
});

test('webhook input: all problems are in one error, the first of them as before', async () => {
  const given = { url: 'http://example.com', events: ['nope'], headers: { host: 'x' }, secret: encoded(12) };
  const { field, errors } = await refusal(given);
  equal(field, 'headers.host');
  const fields = ['headers.host', 'secret', 'events', 'url'];
  deepEqual(
    (errors as { field: string }[]).map((one) => one.field),
    fields,
  );
  // The fields that the schema accepts, of a body that it rejects.
  for (const check of [() => checkGiven(given), () => checkGiven({ url: 'x', events: ['nope'] })])
    throws(check, (error) => error instanceof ApiError && Array.isArray(error.details?.errors));
  doesNotThrow(() => checkGiven({ secret: null, format: 'simple' }));
});
