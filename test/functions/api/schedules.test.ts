/** The endpoints of schedules with a table that evaluates conditions. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { afterAll, afterEach, beforeEach, describe, test } from 'vitest';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { schedules } from '../../../shared/contract/endpoints/schedules.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { Schedule } from '../../../shared/contract/models/schedule.ts';
import { newId } from '../../../shared/platform/index.ts';
import { nextRun } from '../../../shared/recurring/cron/next-run.ts';
import { startInProcessApi } from '../../harness/aws/in-process-api.ts';
import { strictCopy } from '../../harness/builders/strict-copy.ts';
import { findResponseFlaw } from '../../harness/law/endpoint-samples.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
const api = await startInProcessApi(table);
process.env.DATA_KEY_ID = 'key';
afterAll(() => api.stop());
afterEach(() => {
  table.onWrite = () => undefined;
});

type Data = Record<string, unknown>;
let [organizationId, projectId, storageId, otherStorageId] = ['', '', '', ''];

const addProject = (org: string, more: Data = {}): string => {
  const id = newId('project');
  const settings = { backupTimeoutMinutes: 30, defaultStorageId: null };
  const connection = { type: 'user', userId: 'usr', email: 'ada@example.com' };
  const names = { id, name: 'Shop', sourceProjectId: 'shop', databaseId: '(default)', status: 'connected' };
  const rest = { connection, settings, pitr: { enabled: false }, lastBackupAt: null, createdAt: '', updatedAt: '' };
  table.put({ pk: `ORG#${org}`, sk: `PROJECT#${id}`, ...names, ...rest, ...more });
  return id;
};

const addStorage = (org: string): string => {
  const id = newId('storageDestination');
  const place = { id, name: 'Bucket', type: 's3', bucket: 'b', prefix: '', region: null, endpoint: null, masked: {} };
  const rest = { sealed: new Uint8Array(1), immutable: false, objectLock: null, status: 'connected', backupCount: 0 };
  table.put({ pk: `ORG#${org}`, sk: `DESTINATION#${id}`, ...place, ...rest, lastTestedAt: null, createdAt: '', updatedAt: '' });
  return id;
};

let turn = 0;
beforeEach(() => {
  turn += 1;
  organizationId = newId('organization');
  // Each test has its own organization; all have the same owner.
  const [meta, member] = table.find(`ORG#${api.organizationIds[0]}`).filter(({ sk }) => /^(META|MEMBER)/.test(String(sk)));
  for (const item of [meta, member])
    table.put({ ...item, pk: `ORG#${organizationId}`, ...(item === meta && { id: organizationId, name: `Org ${turn}` }) });
  projectId = addProject(organizationId);
  [storageId, otherStorageId] = [addStorage(organizationId), addStorage(organizationId)];
});

const ask = async (
  endpoint: Endpoint,
  {
    params = {},
    body,
    query = '',
  }: {
    readonly params?: Record<string, string> | undefined;
    readonly body?: unknown | undefined;
    readonly query?: string | undefined;
  } = {},
) => {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!);
  const headers = {
    authorization: `Bearer ${api.token}`,
    'x-organization-id': organizationId,
    'content-type': 'application/json',
  };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const result = await api.send(endpoint, { method: endpoint.method, path, params, headers, query, ...sent });
  equal(findResponseFlaw(endpoint, result), undefined, result.text);
  return result as {
    status: number;
    text: string;
    body: { data: Data; error: { code: string; details: Data }; pagination: Data };
  };
};

const nightly = () => ({ projectId, name: 'Nightly', cron: '0 3 * * *', storageDestinationId: storageId });
const add = async (more: Data = {}): Promise<Data & { id: string }> => {
  const { status, text, body } = await ask(schedules.create, { params: {}, body: { ...nightly(), ...more } });
  equal(status, 201, text);
  return body.data as Data & { id: string };
};
const change = (id: string, body: Data) => ask(schedules.update, { params: { scheduleId: id }, body });

const record = (id: string) => table.get({ pk: `ORG#${organizationId}`, sk: `SCHEDULE#${id}` });
const notes = () => table.find('DUE#SCHEDULE').filter((note) => note.organizationId === organizationId);
const eventsOf = (type: string) => table.find(`ORG#${organizationId}`, 'EVENT#').filter((event) => event.type === type);
const tasks = () =>
  table.find(`ORG#${organizationId}`, 'TASK#').map(({ message }) => (JSON.parse(String(message)) as { task: Data }).task);
const counted = () => table.get({ pk: `ORG#${organizationId}`, sk: 'META' })?.scheduleCount ?? 0;
/** Without last-seen times and request counters. */
const everything = () => JSON.stringify([...table.items].filter(([name]) => !/^(RATE|SEEN)#/.test(name)));

test('schedules: white space between cron fields is normalized to single spaces', async () => {
  equal((await add({ cron: ' \t30  2\t* * 1-5 ' })).cron, '30 2 * * 1-5');
});

test('schedules: a new schedule without a time zone gets that of the organization, and keeps it', async () => {
  const [meta] = table.find(`ORG#${organizationId}`).filter(({ sk }) => String(sk).startsWith('META'));
  table.put({ ...meta, timezone: 'Asia/Kathmandu' } as Parameters<typeof table.put>[0]);
  const { id, timezone } = await add();
  equal(timezone, 'Asia/Kathmandu');
  equal((await add({ timezone: 'UTC' })).timezone, 'UTC');
  table.put({ ...meta, timezone: 'Europe/Berlin' } as Parameters<typeof table.put>[0]);
  equal((await ask(schedules.get, { params: { scheduleId: id } })).body.data.timezone, 'Asia/Kathmandu');
});

test('schedules.create: the record, its due item, event, sync task and audit entry are one transaction', async () => {
  let transactions = 0;
  table.onWrite = (when) => {
    transactions += when === 'before' ? 1 : 0;
    return undefined;
  };
  const data = await add();
  deepEqual(strictCopy(Schedule).parse(data), data);
  const next = nextRun('0 3 * * *', 'UTC', new Date(String(data.createdAt)))!.toISOString();
  const { id, createdAt, updatedAt, createdBy, ...rest } = data;
  deepEqual(rest, {
    ...{ name: 'Nightly', projectId, cron: '0 3 * * *', timezone: 'UTC', type: 'full', enabled: true },
    ...{ retention: null, retentionPolicy: null, collections: ['*'], excludeCollections: [], includeAuthUsers: false },
    ...{
      source: 'auto',
      storageDestinationId: storageId,
      nextRunAt: next,
      lastRunAt: null,
      lastBackupId: null,
      lastSuccessAt: null,
      lastOutcome: null,
      failing: null,
      waitingFor: null,
      warning: null,
    },
  });
  equal(createdAt, updatedAt);
  equal((createdBy as Data).email, 'ada@example.com');
  deepEqual((await ask(schedules.get, { params: { scheduleId: id } })).body.data, data);
  deepEqual(
    notes().map(({ scheduleId, at }) => [scheduleId, at]),
    [[id, next]],
  );
  const [event, ...more] = eventsOf('schedule.created');
  deepEqual(more, []);
  deepEqual((event!.data as Data).schedule, { ...data, cronExpression: '0 3 * * *', projectName: 'Shop' });
  deepEqual(tasks(), [{ kind: 'sync-schedule', scheduleId: id }]);
  equal(table.find(`AUDIT#${organizationId}`).filter(({ action }) => action === 'schedule.created').length, 1);
  equal(counted(), 1);
  // Rate counters and the last-seen time are separate writes, once for each of the two calls.
  ok(transactions <= 5, `${transactions}`);
});

describe('schedules: invalid input is refused by field, and nothing changes', () => {
  const wrong: readonly (readonly [string, Data, string?])[] = [
    ['cron', { cron: '* * * * * *' }],
    ['cron', { cron: '99 * * * *' }],
    ['cron', { cron: '0 0 30 2 *' }],
    ['cron', { cron: '*/4 * * * *' }],
    ['cron', { cron: '@reboot' }],
    ['cron', { cron: '' }],
    ['cron', { cron: '0 3 * * *\n' }],
    ['cron', { cron: '0 3\n* * *' }],
    ['cron', { cron: `0 ${'3,'.repeat(100)}3 * * *` }],
    ['cron', { cron: 7 }],
    ['timezone', { timezone: 'Mars/Olympus' }],
    ['timezone', { timezone: '+02:00' }],
    ['timezone', { timezone: 'europe/berlin' }],
    ['retention', { retention: -1 }],
    ['retention', { retention: 0 }],
    ['retention', { retention: 1.5 }],
    ['retention', { retention: 3_651 }],
    ['retention', { retention: 1e9 }],
    ['retention', { retention: '30' }],
    ['retentionPolicy', { retentionPolicy: {} }],
    ['retentionPolicy', { retentionPolicy: { daily: 0, weekly: 0 } }],
    ['retentionPolicy.daily', { retentionPolicy: { daily: -1 } }],
    ['retentionPolicy.daily', { retentionPolicy: { daily: 1_001 } }],
    ['retentionPolicy.hourly', { retentionPolicy: { daily: 1, hourly: 1 } }],
    ['retentionPolicy', { retention: 7, retentionPolicy: { daily: 7 } }],
    ['type', { type: 'differential' }],
    ['name', { name: '' }],
    ['enabled', { enabled: 'yes' }],
    ['collections', { collections: [] }],
    ['collections', { collections: ['*', 'users'] }],
    ['collections.0', { collections: ['users/ada'] }],
    ['collections.0', { collections: [`${'x'.repeat(1_501)}`] }],
    ['excludeCollections', { collections: ['users'], excludeCollections: ['users'] }],
    ['storageDestinationId', { storageDestinationId: 'x' }],
    ['cronExpression', { cronExpression: '0 3 * * *' }],
    ['nextRunAt', { nextRunAt: '2030-01-01T00:00:00Z' }],
    ['lastTick', { lastTick: null }],
  ];

  test('create', async () => {
    const before = everything();
    for (const [field, more] of wrong) {
      const { status, text, body } = await ask(schedules.create, { params: {}, body: { ...nightly(), ...more } });
      deepEqual(
        [status, body.error.code, body.error.details.field],
        [400, 'VALIDATION_ERROR', field],
        `${JSON.stringify(more)} ${text}`,
      );
    }
    equal(everything(), before);
  });

  test('update; projectId cannot be changed', async () => {
    const { id } = await add();
    const before = everything();
    for (const [field, more] of [...wrong, ['projectId', { projectId }]] as const) {
      const { status, text, body } = await change(id, { name: 'Other', ...more });
      deepEqual(
        [status, body.error.code, body.error.details.field],
        [400, 'VALIDATION_ERROR', field],
        `${JSON.stringify(more)} ${text}`,
      );
    }
    equal(everything(), before);
  });

  test('a project or destination of another organization, or an unknown one, is not found', async () => {
    const other = newId('organization');
    const [foreignProject, foreignStorage] = [addProject(other), addStorage(other)];
    const { id } = await add();
    const before = everything();
    for (const wanted of [foreignProject, newId('project')])
      equal(
        (await ask(schedules.create, { params: {}, body: { ...nightly(), projectId: wanted } })).body.error.code,
        'PROJECT_NOT_FOUND',
      );
    for (const storageDestinationId of [foreignStorage, newId('storageDestination')]) {
      equal(
        (await ask(schedules.create, { params: {}, body: { ...nightly(), storageDestinationId } })).body.error.code,
        'STORAGE_NOT_FOUND',
      );
      equal((await change(id, { storageDestinationId })).body.error.code, 'STORAGE_NOT_FOUND');
    }
    equal(everything(), before);
  });

  test('without a destination a default is required', async () => {
    const { id } = await add();
    const none = await ask(schedules.create, { params: {}, body: { ...nightly(), storageDestinationId: undefined } });
    equal(none.body.error.details.field, 'storageDestinationId');
    equal((await change(id, { storageDestinationId: null })).body.error.details.field, 'storageDestinationId');
    projectId = addProject(organizationId, { settings: { backupTimeoutMinutes: 30, defaultStorageId: storageId } });
    equal((await add({ storageDestinationId: undefined })).storageDestinationId, null);
    equal((await add({ storageDestinationId: null })).storageDestinationId, null);
  });
});

describe('schedules.update', () => {
  test('changes a single field and leaves the others and nextRunAt unchanged', async () => {
    const { id, ...before } = await add();
    const given: Data = {
      ...{ name: 'Other', type: 'incremental', includeAuthUsers: true, collections: ['users'], excludeCollections: ['logs'] },
      ...{ retention: 30, storageDestinationId: otherStorageId },
    };
    let expected: Data = before;
    for (const [name, value] of Object.entries(given)) {
      const { status, text, body } = await change(id, { [name]: value });
      equal(status, 200, text);
      expected = { ...expected, [name]: value, updatedAt: body.data.updatedAt };
      deepEqual(body.data, { id, ...expected });
    }
    deepEqual((await ask(schedules.get, { params: { scheduleId: id } })).body.data, { id, ...expected });
    equal(eventsOf('schedule.updated').length, Object.keys(given).length);
    equal(tasks().length, 1 + Object.keys(given).length);
    equal(record(id)?.revision, 1 + Object.keys(given).length);
  });

  test('recomputes nextRunAt and moves the due item if the expression or the time zone changes', async () => {
    const { id } = await add();
    for (const given of [
      { cron: '30 4 * * *' },
      { timezone: 'Australia/Lord_Howe' },
      { cron: '@hourly', timezone: 'Asia/Kathmandu' },
    ]) {
      const { data } = (await change(id, given)).body;
      const next = nextRun(String(data.cron), String(data.timezone), new Date(String(data.updatedAt)))!.toISOString();
      equal(data.nextRunAt, next);
      deepEqual(
        notes().map(({ at }) => at),
        [next],
      );
    }
  });

  test('pauses and resumes: a paused schedule has no nextRunAt and no due item', async () => {
    const { id, nextRunAt } = await add();
    equal((await change(id, { enabled: false })).body.data.nextRunAt, null);
    deepEqual(notes(), []);
    // A new expression does not give a paused schedule a nextRunAt.
    equal((await change(id, { cron: '0 4 * * *' })).body.data.nextRunAt, null);
    equal((await change(id, { enabled: true, cron: '0 3 * * *' })).body.data.nextRunAt, nextRunAt);
    equal(notes().length, 1);
    deepEqual(
      eventsOf('schedule.updated').map(({ data }) => ((data as Data).schedule as Data).enabled),
      [false, false, true],
    );
  });

  test('replaces retentionPolicy by retention and vice versa; null removes either', async () => {
    const { id } = await add({ retention: 30 });
    const shown = async (given: Data) => {
      const { data } = (await change(id, given)).body;
      return [data.retention, data.retentionPolicy];
    };
    const policy = { daily: 7, weekly: 4, monthly: 0, yearly: 0 };
    deepEqual(await shown({ retentionPolicy: { daily: 7, weekly: 4 } }), [null, policy]);
    deepEqual(await shown({ retention: 14 }), [14, null]);
    deepEqual(await shown({ retentionPolicy: null }), [14, null]);
    deepEqual(await shown({ retention: null, retentionPolicy: policy }), [null, policy]);
    deepEqual(await shown({ retention: 5, retentionPolicy: null }), [5, null]);
    deepEqual(await shown({ retention: null }), [null, null]);
  });

  test('writes nothing if nothing changes', async () => {
    const { id, nextRunAt } = await add({ retention: 30, collections: ['users'] });
    const before = everything();
    for (const given of [
      {},
      { name: 'Nightly' },
      { enabled: true, retention: 30 },
      { collections: ['users'], cron: '0 3 * * *' },
    ])
      equal((await change(id, given)).body.data.nextRunAt, nextRunAt);
    equal(everything(), before);
  });

  test('is decided again if a run commits first: one due item remains, with the current nextRunAt', async () => {
    const { id } = await add();
    const later = '2031-05-05T03:00:00.000Z';
    const isRenamed = { name: 'Other' };
    let isFirst = true;
    table.onWrite = (when) => {
      const was = record(id)!;
      if (!isFirst || when === 'after') return undefined;
      isFirst = false;
      // Like a tick.
      table.items.delete(`DUE#SCHEDULE\n${was.nextRunAt}#${organizationId}#${id}`);
      table.put({ ...was, nextRunAt: later, lastTick: was.nextRunAt, lastRunAt: was.nextRunAt });
      table.put({ pk: 'DUE#SCHEDULE', sk: `${later}#${organizationId}#${id}`, organizationId, scheduleId: id, at: later });
      return undefined;
    };
    const { status, body } = await change(id, isRenamed);
    equal(status, 200);
    equal(body.data.nextRunAt, later);
    ok(body.data.lastRunAt);
    equal((await change(id, { enabled: false })).body.data.nextRunAt, null);
    deepEqual(notes(), []);
  });

  test('applies two concurrent updates', async () => {
    const { id } = await add();
    await Promise.all([change(id, { name: 'Other' }), change(id, { retention: 9 })]);
    const { name, retention, revision } = record(id)!;
    deepEqual([name, retention, revision], ['Other', 9, 3]);
  });
});

describe('schedules: missing resources', () => {
  test('a project that is deleted or moved concurrently refuses new schedules', async () => {
    const { id } = await add();
    const lock = { pk: `ORG#${organizationId}`, sk: `JOB#${projectId}`, jobId: 'move', kind: 'move', since: '' };
    table.put(lock);
    const moving = [
      ask(schedules.create, { params: {}, body: nightly() }),
      change(id, { name: 'Other' }),
      ask(schedules.remove, { params: { scheduleId: id } }),
    ];
    for (const { body } of await Promise.all(moving)) equal(body.error.code, 'JOB_IN_PROGRESS');
    table.items.delete(`${lock.pk}\n${lock.sk}`);
    table.onWrite = () => {
      table.items.delete(`ORG#${organizationId}\nPROJECT#${projectId}`);
      return undefined;
    };
    const gone = { pk: `ORG#${organizationId}`, sk: `PROJECT#${projectId}` };
    const project = table.get(gone)!;
    equal((await ask(schedules.create, { params: {}, body: nightly() })).body.error.code, 'PROJECT_NOT_FOUND');
    table.put(project);
    ok([404, 409].includes((await change(id, { name: 'Other' })).status));
    table.onWrite = () => undefined;
    equal((await change(id, { name: 'Other' })).body.error.code, 'SCHEDULE_NOT_FOUND');
    equal((await ask(schedules.trigger, { params: { scheduleId: id } })).body.error.code, 'SCHEDULE_NOT_FOUND');
    equal(record(id)?.name, 'Nightly');
    equal(counted(), 1);
    // The schedule can still be deleted.
    equal((await ask(schedules.remove, { params: { scheduleId: id } })).status, 200);
  });

  test('an unknown schedule is not found', async () => {
    for (const scheduleId of [newId('schedule'), 'x', '..', newId('webhook')])
      for (const endpoint of [schedules.get, schedules.update, schedules.remove, schedules.trigger] as readonly Endpoint[])
        equal(
          (await ask(endpoint, { params: { scheduleId }, body: endpoint.body && {} })).body.error.code,
          'SCHEDULE_NOT_FOUND',
          scheduleId,
        );
  });
});

test('schedules.remove: the schedule and its due item are deleted with an event; its backups stay and the count decreases', async () => {
  const { id } = await add();
  table.put({ pk: `ORG#${organizationId}`, sk: 'BACKUP#one', id: 'one', scheduleId: id });
  equal((await ask(schedules.remove, { params: { scheduleId: id } })).status, 200);
  deepEqual([record(id), notes(), counted()], [undefined, [], 0]);
  equal(((eventsOf('schedule.deleted')[0]!.data as Data).schedule as Data).id, id);
  deepEqual(tasks().at(-1), { kind: 'sync-schedule', scheduleId: id });
  equal((await ask(schedules.remove, { params: { scheduleId: id } })).status, 404);
  ok(table.get({ pk: `ORG#${organizationId}`, sk: 'BACKUP#one' }));
});

describe('schedules.trigger', () => {
  test('starts a backup with the settings of the schedule, also while paused, and keeps nextRunAt', async () => {
    const shape = {
      type: 'incremental',
      collections: ['users'],
      excludeCollections: ['logs'],
      includeAuthUsers: true,
      retention: 9,
    };
    const { id, nextRunAt } = await add({ ...shape, enabled: true });
    const { status, text, body } = await ask(schedules.trigger, { params: { scheduleId: id } });
    equal(status, 202, text);
    const backup = body.data;
    deepEqual(
      [backup.trigger, backup.scheduleId, backup.projectId, backup.type, backup.collections, backup.excludedCollections],
      ['manual', id, projectId, 'full', ['users'], ['logs']],
    );
    ok(String(backup.fullBecause).length > 0);
    const { data } = (await ask(schedules.get, { params: { scheduleId: id } })).body;
    deepEqual([data.lastBackupId, data.nextRunAt, data.lastRunAt], [backup.id, nextRunAt, backup.createdAt]);
    const [event] = eventsOf('schedule.triggered');
    const told = event!.data as Data & { schedule: Data };
    deepEqual([told.backupId, told.trigger, told.schedule.lastBackupId], [backup.id, 'manual', backup.id]);
    equal((await ask(schedules.trigger, { params: { scheduleId: id } })).body.error.code, 'JOB_IN_PROGRESS');

    table.items.delete(`ORG#${organizationId}\nJOB#${projectId}`);
    await change(id, { enabled: false });
    equal((await ask(schedules.trigger, { params: { scheduleId: id }, body: {} })).status, 202);
    equal((await ask(schedules.get, { params: { scheduleId: id } })).body.data.nextRunAt, null);
  });
});

describe('a destination that a schedule uses', () => {
  const removal = (id: string) => ask(storageDestinations.remove, { params: { storageId: id } });

  test('cannot be deleted until no schedule uses it', async () => {
    const { id } = await add();
    const { body } = await removal(storageId);
    deepEqual([body.error.code, body.error.details.scheduleId], ['CONFLICT', id]);
    await change(id, { storageDestinationId: otherStorageId });
    equal((await removal(storageId)).status, 200);
    equal((await removal(otherStorageId)).body.error.code, 'CONFLICT');
    await ask(schedules.remove, { params: { scheduleId: id } });
    equal((await removal(otherStorageId)).status, 200);
  });

  test('is deleted concurrently with a new schedule: one of the two is refused', async () => {
    for (const _ of [1, 2, 3]) {
      storageId = addStorage(organizationId);
      const [made, removed] = await Promise.all([ask(schedules.create, { params: {}, body: nightly() }), removal(storageId)]);
      const isThere = table.get({ pk: `ORG#${organizationId}`, sk: `DESTINATION#${storageId}` }) !== undefined;
      deepEqual([made.status === 201, removed.status === 200], [isThere, !isThere]);
    }
  });
});

test('schedules: an organization has at most 100, also with concurrent creates; deleting one makes room', async () => {
  const { id } = await add();
  const meta = table.get({ pk: `ORG#${organizationId}`, sk: 'META' })!;
  table.put({ ...meta, scheduleCount: 97 });
  const made = await Promise.all(Array.from({ length: 6 }, () => ask(schedules.create, { params: {}, body: nightly() })));
  deepEqual(made.map(({ status }) => status).sort(), [201, 201, 201, 409, 409, 409]);
  equal(made.find(({ status }) => status === 409)!.body.error.details.max, 100);
  equal(counted(), 100);
  await ask(schedules.remove, { params: { scheduleId: id } });
  await add();
});

test('schedules.list: newest first, in pages, filtered by project or enabled', async () => {
  const other = addProject(organizationId);
  const made: string[] = [];
  for (let n = 0; n < 7; n++)
    made.unshift((await add({ name: `n${n}`, enabled: n % 2 === 0, ...(n > 3 && { projectId: other }) })).id);
  const ids = async (query: string): Promise<{ ids: string[]; next: string | null }> => {
    const { body } = await ask(schedules.list, { params: {}, query });
    const data = body.data as unknown as readonly Data[];
    for (const one of data) strictCopy(Schedule).parse(one);
    return { ids: data.map(({ id }) => String(id)), next: body.pagination.nextCursor as string | null };
  };
  deepEqual((await ids('')).ids, made);
  deepEqual((await ids(`projectId=${other}`)).ids, made.slice(0, 3));
  deepEqual(
    (await ids('enabled=true')).ids,
    made.filter((_, n) => n % 2 === 0),
  );
  deepEqual(
    (await ids(`enabled=false&projectId=${projectId}`)).ids,
    made.slice(3).filter((_, n) => n % 2 === 0),
  );
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { ids: string[]; next: string | null } = await ids(`limit=2&enabled=true${cursor && `&cursor=${cursor}`}`);
    seen.push(...page.ids);
    cursor = page.next;
  }
  deepEqual(
    seen,
    made.filter((_, n) => n % 2 === 0),
  );
  equal((await ask(schedules.list, { params: {}, query: 'enabled=maybe' })).body.error.details.field, 'enabled');
});
