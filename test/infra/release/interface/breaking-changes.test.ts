/** A client of an earlier release works with this one, unless the major version says otherwise. */
import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { breakingChanges, type ComparedDocument } from '../../../../infra/release/interface/breaking-changes.ts';
import { openapiDocument } from '../../../../shared/contract/openapi/openapi-document.ts';
import { version } from '../../../../shared/contract/version.ts';
import { readOpenapi, releaseVersions } from '../../../harness/release/open-fixture.ts';

const majorOf = (text: string): string => text.split('.')[0] ?? '';
const now = JSON.parse(JSON.stringify(openapiDocument())) as ComparedDocument;

for (const release of releaseVersions().filter((one) => majorOf(one) === majorOf(version)))
  test(`interface: nothing that a client of ${release} uses is gone or different`, () => {
    const before = readOpenapi(release);
    ok(Object.keys(before.paths).length > 50);
    // Raise the major version in package.json and shared/contract/version.ts, or keep what clients use.
    deepEqual(breakingChanges(before, now), []);
  });

const body = (schema: object) => ({ content: { 'application/json': { schema } } });
const text = { type: 'string' };
const documentOf = ({ sent = {}, received = {}, parameters = [] }: { sent?: object; received?: object; parameters?: object[] }) =>
  ({
    paths: {
      '/things': {
        post: {
          parameters,
          requestBody: body({ type: 'object', properties: { name: text, kind: { enum: ['a', 'b'] } }, required: [], ...sent }),
          responses: {
            201: body({ $ref: '#/components/schemas/Thing' }),
          },
        },
      },
    },
    components: {
      schemas: {
        Thing: {
          type: 'object',
          properties: { id: text, state: { enum: ['on', 'off'] }, parent: { $ref: '#/components/schemas/Thing' } },
          required: ['id', 'state'],
          ...received,
        },
      },
    },
  }) as ComparedDocument;

const changes: Readonly<Record<string, readonly [Parameters<typeof documentOf>[0], readonly string[]]>> = {
  'a new field of an answer, and a new optional one of a request, break nothing': [
    {
      sent: { properties: { name: text, more: text, kind: { enum: ['a', 'b', 'c'] } } },
      received: {
        properties: {
          id: text,
          state: { enum: ['on', 'off', 'new'] },
          parent: { $ref: '#/components/schemas/Thing' },
          more: text,
        },
        required: ['id', 'state', 'more'],
      },
      parameters: [{ name: 'q', in: 'query', schema: text }],
    },
    [],
  ],
  'a field of a request that is gone, required, or has fewer values': [
    { sent: { properties: { kind: { enum: ['a'] } }, required: ['kind'] } },
    ['POST /things body.name is gone', 'POST /things body.kind no longer has b', 'POST /things body.kind is required'],
  ],
  'a field of an answer that is gone, null, optional or has fewer values': [
    { received: { properties: { id: { type: ['string', 'null'] }, state: { enum: ['on'] } }, required: ['id'] } },
    [
      'POST /things 201.id may be null now',
      'POST /things 201.state no longer has off',
      'POST /things 201.parent is gone',
      'POST /things 201.state may be absent now',
    ],
  ],
  'a shorter text, a smaller number, another pattern, and no further fields': [
    {
      sent: {
        properties: { name: { type: 'string', maxLength: 10, minLength: 1, pattern: '^a' }, kind: { enum: ['a', 'b'] } },
        additionalProperties: false,
      },
      parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 2, maximum: 50 } }],
    },
    [
      'POST /things: parameter query limit has minimum 2 now',
      'POST /things: parameter query limit has maximum 50 now',
      'POST /things body must not have further fields now',
      'POST /things body.name has minLength 1 now',
      'POST /things body.name has maxLength 10 now',
      'POST /things body.name has another pattern now: ^a',
    ],
  ],
  'wider limits': [{ parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 0, maximum: 500 } }] }, []],
  'a required parameter': [
    { parameters: [{ name: 'q', in: 'query', required: true, schema: text }] },
    ['POST /things: parameter query q is required'],
  ],
};
for (const [what, [change, found]] of Object.entries(changes))
  test(`breakingChanges: ${what}`, () => {
    const limit = { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } };
    const isLimited = change.parameters?.some((each) => 'name' in each && each.name === 'limit');
    deepEqual(breakingChanges(documentOf(isLimited ? { parameters: [limit] } : {}), documentOf(change)), found);
  });

test('breakingChanges: a higher role, a further scope, a way to sign in that is gone, and a sign-in that is new', () => {
  const withAccess = (...security: object[]) => {
    const { paths, ...rest } = documentOf({});
    return { ...rest, paths: { '/things': { post: { ...(paths['/things']?.post as object), security } } } } as ComparedDocument;
  };
  const before = withAccess({ accessToken: ['member'] }, { apiKey: ['things:read'] });
  deepEqual(breakingChanges(before, withAccess({ accessToken: ['admin'] }, { apiKey: ['things:read', 'things:write'] })), [
    'POST /things needs admin now (accessToken)',
    'POST /things needs things:write now (apiKey)',
  ]);
  deepEqual(breakingChanges(before, withAccess({ accessToken: ['viewer'] })), ['POST /things no longer takes apiKey']);
  deepEqual(breakingChanges(withAccess(), before), ['POST /things needs a sign-in now']);
  deepEqual(breakingChanges(before, withAccess()), []);
});

test('breakingChanges: an endpoint, a status, an event or an alternative that is gone', () => {
  const before = documentOf({ received: { properties: { id: { anyOf: [text, { type: 'integer' }] } } } });
  const webhooks = { 'thing.made': { post: { requestBody: body({ type: 'object', properties: { id: text } }) } } };
  deepEqual(breakingChanges({ ...before, webhooks }, { ...before, paths: {} }), [
    'POST /things is gone',
    'event thing.made is gone',
  ]);
  const narrower = documentOf({ received: { properties: { id: { anyOf: [text] } } } });
  deepEqual(breakingChanges(before, narrower), ['POST /things 201.id may be string now (alternative 2)']);
});
