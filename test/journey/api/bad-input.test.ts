/** Repeats some cases of test/law/bad-input.test.ts through the gateway, with raw bytes. */
import { deepEqual, equal } from 'node:assert/strict';
import { request } from 'node:http';
import { afterAll, beforeAll, test } from 'vitest';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { bodyMaxBytes } from '../../../shared/contract/limits.ts';
import { findResponseFlaw, randomParams } from '../../harness/law/endpoint-samples.ts';
import { type Body, type Result, stageUrl } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { itemsOf } from '../../harness/stage/table.ts';

let organization: TestOrganization;
let untouched: readonly unknown[];
const contents = async () =>
  (
    await Promise.all([`ORG#${organization.id}`, `AUDIT#${organization.id}`, `USER#${organization.owner.userId}`].map(itemsOf))
  ).flat();

beforeAll(async () => {
  organization = await newOrganization();
  untouched = await contents();
});
afterAll(async () => deepEqual(await contents(), untouched, 'a refused call changed something'));

/** Sends raw bytes; fetch would normalize them. */
const send = (endpoint: Endpoint, body: string | Buffer, headers: Record<string, string> = {}): Promise<Result<unknown>> =>
  new Promise((resolve, reject) => {
    const params = randomParams(endpoint);
    const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!);
    const signedIn = { authorization: `Bearer ${organization.owner.accessToken}`, 'x-organization-id': organization.id };
    const sent = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
    request(stageUrl() + path, { method: endpoint.method, headers: { ...signedIn, ...sent, ...headers } }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      const parsed = JSON.parse(text) as Body<unknown>;
      resolve({ status: response.statusCode ?? 0, text, body: parsed, headers: new Headers(response.headers as never) });
    })
      .on('error', reject)
      .end(body);
  });

const notUtf8 = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe, 0xc3, 0x28]), Buffer.from('"}')]);

/** The gateway handles bodies of all endpoints alike. */
const endpoint: Endpoint = organizations.update;

for (const [what, code, field, body, headers] of [
  ['no JSON', 'VALIDATION_ERROR', 'body', '{"a":}', {}],
  ['no UTF-8', 'VALIDATION_ERROR', 'body', notUtf8, {}],
  ['of another type', 'UNSUPPORTED_MEDIA_TYPE', undefined, '{"name":"x"}', { 'content-type': 'text/plain' }],
  ['too large', 'PAYLOAD_TOO_LARGE', undefined, `{"a":"${'x'.repeat(bodyMaxBytes - 7)}"}`, {}],
  ['nested 20,000 levels deep', 'VALIDATION_ERROR', 'body', `{"name":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`, {}],
  [
    'with a key __proto__',
    'VALIDATION_ERROR',
    'settings.__proto__',
    '{"name":"x","settings":{"__proto__":{"timezone":"UTC"}}}',
    {},
  ],
  ['with an unknown field', 'VALIDATION_ERROR', 'unknown', '{"name":"x","unknown":1}', {}],
] as const)
  test(`bad input: a body that is ${what} is refused`, async () => {
    const result = await send(endpoint, body, headers);
    equal(findResponseFlaw(endpoint, result), undefined, result.text);
    equal(result.body.error.code, code, result.text);
    if (field !== undefined) equal(result.body.error.details.field, field, result.text);
  });
