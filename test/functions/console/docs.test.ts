/** The model of the API docs: what is read of the OpenAPI document, how it is searched, and how a call is made of a form. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'vitest';
import { highlight, type Language } from '../../../functions/console/app/pages/docs/code/highlight.ts';
import { addressOfAnchor } from '../../../functions/console/app/pages/docs/model/address-of-anchor.ts';
import { buildIndex, type Entry } from '../../../functions/console/app/pages/docs/model/build-index.ts';
import { guideList } from '../../../functions/console/app/pages/docs/model/guide-list.ts';
import { readReference } from '../../../functions/console/app/pages/docs/model/read-reference.ts';
import { searchIndex } from '../../../functions/console/app/pages/docs/model/search-index.ts';
import { draftOf, readDraft } from '../../../functions/console/app/pages/docs/try/call-draft.ts';
import { isDestructive } from '../../../shared/contract/endpoint.ts';
import { errors } from '../../../shared/contract/errors.ts';
import { eventNames, isSimpleEvent } from '../../../shared/contract/events/event-names.ts';
import { endpoints } from '../../../shared/contract/index.ts';
import { errorDescriptions, errorsOf } from '../../../shared/contract/openapi/error-responses.ts';
import { openapiDocument } from '../../../shared/contract/openapi/openapi-document.ts';
import { clientCallOf } from '../../../shared/docs/client-call.ts';
import { curlOf } from '../../../shared/docs/curl.ts';

const reference = readReference(JSON.parse(JSON.stringify(openapiDocument())));
const index = buildIndex(reference, guideList);
const found = (query: string): readonly Entry[] => searchIndex(index, query);
const endpointOf = (id: string) => reference.endpoints.find((one) => one.id === id)!;

for (const endpoint of endpoints)
  test(`docs: ${endpoint.id} has its address, access, errors and effect`, () => {
    const shown = endpointOf(endpoint.id);
    deepEqual([shown.method, shown.path], [endpoint.method, endpoint.path]);
    const { access } = endpoint;
    equal(shown.access, typeof access === 'object' ? 'organization' : access);
    equal(shown.role, typeof access === 'object' ? access.role : undefined);
    equal(shown.scope, typeof access === 'object' && access.scope !== 'people-only' ? access.scope : undefined);
    equal(shown.isDestructive, isDestructive(endpoint));
    equal(shown.operation['x-audit-action'], endpoint.audit);
    equal(shown.operation['x-rate-limit'] !== undefined, (endpoint.requestsPerMinute ?? endpoint.outboundShare) !== undefined);
    const wanted = errorsOf(endpoint).filter((code) => errors[code] !== endpoint.alsoStatus);
    deepEqual(shown.errors.map(({ code }) => code).sort(), [...wanted].sort());
  });

test('docs: every error that an endpoint answers has its status and meaning', () => {
  for (const { code, status, meaning } of reference.errors) {
    equal(status, errors[code as keyof typeof errors], code);
    equal(meaning, errorDescriptions[code as keyof typeof errors], code);
  }
  const answered = new Set(endpoints.flatMap(errorsOf));
  deepEqual(reference.errors.map(({ code }) => code).sort(), [...answered].sort());
});

test('docs: every event has a sample in each of its formats', () => {
  deepEqual(
    reference.events.map(({ name }) => name),
    eventNames,
  );
  for (const { name, formats } of reference.events) {
    deepEqual(
      formats.map((format) => format.name),
      isSimpleEvent(name as never) ? ['standard', 'simple'] : ['standard'],
      name,
    );
    for (const { sample } of formats) ok(sample.includes(`"${name}"`), name);
  }
});

test('docs: addresses are unique, and guides link to endpoints that exist', () => {
  const pages = [...guideList.map(({ slug }) => slug), ...reference.areas.map(({ slug }) => slug)];
  equal(new Set(pages).size, pages.length);
  const links = globSync('functions/console/app/pages/docs/guides/*.tsx').flatMap((path) => [
    ...readFileSync(path, 'utf8').matchAll(/area="([\w-]+)" id="([\w.]+)"/g),
  ]);
  ok(links.length >= 8);
  for (const [, area, id] of links) equal(endpointOf(id ?? '')?.area, area, id);
});

test('docs: anchors of the former page lead to their content', () => {
  deepEqual(addressOfAnchor('backups.create', reference), { page: 'backups', hash: 'backups.create' });
  deepEqual(addressOfAnchor('event.backup.failed', reference), { page: 'events', hash: 'event.backup.failed' });
  for (const anchor of ['signing-in', 'errors', 'events']) deepEqual(addressOfAnchor(anchor, reference), { page: anchor });
  for (const anchor of ['', 'main', '<script>', 'constructor']) equal(addressOfAnchor(anchor, reference), undefined);
});

test('docs search: an endpoint is the first result for its method and path, with and without the prefix', () => {
  for (const { id, method, path } of reference.endpoints)
    for (const query of [`${method} ${path}`, `${method.toLowerCase()} ${path.replace('/api/v1', '')}`])
      equal(found(query)[0]?.hash, id, query);
});

test('docs search: errors, events, guides and fields are found by their names', () => {
  const first = (query: string) => [found(query)[0]?.kind, found(query)[0]?.title];
  deepEqual(first('IDEMPOTENCY_KEY_REUSED'), ['Error', 'IDEMPOTENCY_KEY_REUSED']);
  deepEqual(first('backup.completed'), ['Event', 'backup.completed']);
  deepEqual(first('verify signature'), ['Guide', 'Verifying signatures']);
  deepEqual(first('pagination'), ['Guide', 'Paging']);
  deepEqual(first('maxWritesPerSecond'), ['Field', 'options.maxWritesPerSecond']);
  ok(found('start backup').some(({ hash }) => hash === 'backups.create'));
});

test('docs search: every word must occur, and nothing is found for nothing', () => {
  deepEqual(found('backup zebra'), []);
  deepEqual(found('   '), []);
  deepEqual(found('<img src=x onerror=alert(1)>'), []);
  for (const { texts } of found('restore undo')) for (const word of ['restore', 'undo']) ok(texts.join(' ').includes(word));
});

test('docs: highlighting changes no character of any sample', () => {
  const languages: Record<string, Language> = { ts: 'ts', py: 'python', go: 'go', java: 'java' };
  for (const path of globSync('functions/console/app/pages/docs/samples/*')) {
    const code = readFileSync(path, 'utf8');
    const tokens = highlight(code, languages[path.split('.').at(-1)!]!);
    equal(tokens.map(({ text }) => text).join(''), code, path);
    ok(new Set(tokens.map(({ kind }) => kind)).size >= 4, path);
  }
  const json = '{\n  "id": "a \\" b",\n  "n": -1.5,\n  "on": true\n}';
  deepEqual(
    highlight(json, 'json').flatMap(({ kind, text }) => (kind === 'plain' ? [] : [[kind, text]])),
    [
      ['key', '"id"'],
      ['string', '"a \\" b"'],
      ['key', '"n"'],
      ['number', '-1.5'],
      ['key', '"on"'],
      ['word', 'true'],
    ],
  );
});

test('docs: a form begins with the example, names what is missing, and does not send empty filters', () => {
  const create = endpointOf('webhooks.create');
  const draft = draftOf(create, reference.resolve);
  deepEqual(readDraft(create, draft), { params: {}, query: {}, body: JSON.parse(draft.body) });
  deepEqual(readDraft(create, { ...draft, body: '[1]' }), { problems: { body: 'must be a JSON object' } });
  deepEqual(readDraft(create, { ...draft, body: ' ' }), { problems: { body: 'is required' } });
  const broken = readDraft(create, { ...draft, body: '{' });
  match('problems' in broken ? (broken.problems.body ?? '') : '', /^is not valid JSON: /);

  const get = endpointOf('backups.get');
  deepEqual(readDraft(get, draftOf(get, reference.resolve)), { problems: { backupId: 'is required' } });
  const list = endpointOf('backups.list');
  deepEqual(readDraft(list, { values: { status: 'failed', limit: ' ' }, body: '', idempotencyKey: '' }), {
    params: {},
    query: { status: 'failed' },
    body: undefined,
  });
});

const samplesOf = (id: string) => {
  const { method, path, operation, parameters } = endpointOf(id);
  const documented = { method: method.toLowerCase(), path, operation };
  return {
    curl: curlOf(documented, parameters, reference.resolve),
    client: clientCallOf(documented, parameters, reference.resolve),
  };
};

test('docs: examples have the query parameters that a call must have', () => {
  const { curl, client } = samplesOf('backupContents.diff');
  ok(curl.startsWith('curl "$BASE/api/v1/backups/$BACKUP_ID/diff?against=live"'), curl);
  ok(client.includes("params: { backupId }, query: { against: 'live' }"), client);
  ok(samplesOf('projects.workloadIdentity').curl.includes('/workload-identity?sourceProjectId=my-project"'));
  ok(samplesOf('device.show').curl.includes('/device?userCode=WDJB-MJHT"'));
});

test('docs: the token of an invitation is not that of the caller, and a browser has a cookie', () => {
  const accept = samplesOf('invitations.accept').curl;
  ok(accept.includes('/invitations/$INVITATION_TOKEN/accept"') && accept.includes('Bearer $TOKEN"'), accept);
  const decide = samplesOf('device.decide').curl;
  ok(decide.includes('-H "Cookie: $COOKIE"') && !decide.includes('$TOKEN'), decide);
});
