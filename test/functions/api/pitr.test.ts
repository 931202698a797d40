/** The endpoints of point-in-time recovery with a table that evaluates conditions. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { pitr } from '../../../shared/contract/endpoints/pitr.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { Pitr, PitrWindows } from '../../../shared/contract/models/pitr.ts';
import { momentOf } from '../../../shared/pitr/index.ts';
import { newId } from '../../../shared/platform/index.ts';
import { startInProcessApi } from '../../harness/aws/in-process-api.ts';
import { findResponseFlaw } from '../../harness/law/endpoint-samples.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
const api = await startInProcessApi(table);
afterAll(() => api.stop());

type Data = Record<string, unknown>;
let [organizationId, projectId, storageId] = ['', '', ''];

beforeEach(() => {
  organizationId = newId('organization');
  const [meta, member] = table.find(`ORG#${api.organizationIds[0]}`).filter(({ sk }) => /^(META|MEMBER)/.test(String(sk)));
  for (const item of [meta, member])
    table.put({ ...item, pk: `ORG#${organizationId}`, ...(item === meta && { id: organizationId, projectCount: 1 }) });
  projectId = newId('project');
  const names = { id: projectId, name: 'Shop', sourceProjectId: 'shop', databaseId: '(default)', status: 'connected' };
  const settings = { backupTimeoutMinutes: 30, defaultStorageId: null };
  const connection = { type: 'user', userId: 'usr', email: 'ada@example.com' };
  const rest = { connection, settings, pitr: { enabled: false }, lastBackupAt: null, createdAt: at(0), updatedAt: at(0) };
  table.put({ pk: `ORG#${organizationId}`, sk: `PROJECT#${projectId}`, ...names, ...rest });
  storageId = newId('storageDestination');
  const place = { id: storageId, name: 'Bucket', type: 's3', bucket: 'b', prefix: '', region: null, endpoint: null, masked: {} };
  const more = { sealed: new Uint8Array(1), immutable: false, objectLock: null, status: 'connected', backupCount: 0 };
  const times = { lastTestedAt: null, createdAt: at(0), updatedAt: at(0) };
  table.put({ pk: `ORG#${organizationId}`, sk: `DESTINATION#${storageId}`, ...place, ...more, ...times });
});

const at = (secondsAgo: number): string => new Date(Date.now() - secondsAgo * 1_000).toISOString();

const ask = async (endpoint: Endpoint, body?: unknown, params: Record<string, string> = { projectId }) => {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!);
  const bearer = { authorization: `Bearer ${api.token}`, 'x-organization-id': organizationId };
  const headers = { ...bearer, 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const result = await api.send(endpoint, { method: endpoint.method, path, params, headers, query: '', ...sent });
  equal(findResponseFlaw(endpoint, result), undefined, result.text);
  return result as {
    status: number;
    text: string;
    body: { data: Data; error: { code: string; message: string; details: Data } };
  };
};

const record = () => table.get({ pk: `ORG#${organizationId}`, sk: `PITR#${projectId}` })!;
const events = () => table.find(`ORG#${organizationId}`, 'EVENT#').map(({ type }) => type);
const actions = () => table.find(`AUDIT#${organizationId}`).map(({ action }) => action);
/** Writes the records of one hour of captures. */
const capture = (more: Data = {}) => {
  const micros = (secondsAgo: number) => momentOf((Date.now() - secondsAgo * 1_000) * 1_000);
  const bases = [{ backupId: newId('backup'), readTime: micros(3_600), since: micros(3_600) }];
  table.put({ ...record(), status: 'active', bases, capturedTo: micros(10), ...more });
  return bases[0]!.backupId;
};

test('pitr: a finding in captured changes is shown until its base is acknowledged', async () => {
  deepEqual((await ask(pitr.get)).body.data.anomaly, null);
  await ask(pitr.enable, { storageDestinationId: storageId });
  const baseId = capture();
  deepEqual((await ask(pitr.get)).body.data.anomaly, null);
  const range = { observed: { documents: 20, total: 100, share: 0.2 }, expected: { min: 0, max: 0.12 } };
  const anomaly = {
    detectedAt: at(20),
    source: 'capture',
    findings: [{ collection: 'users', kind: 'deleted', field: null, ...range, message: '20 of 100 documents were deleted' }],
    comparedWith: baseId,
    keptBackupId: baseId,
    before: at(60),
    acknowledgedAt: null,
    acknowledgedBy: null,
    note: null,
  };
  const base = { pk: `ORG#${organizationId}`, sk: `BACKUP#${baseId}`, id: baseId, projectId, status: 'completed' };
  table.put({ ...base, anomaly, anomalyState: 'open' });
  deepEqual((await ask(pitr.get)).body.data.anomaly, anomaly);
  deepEqual((await ask(pitr.update, { retentionDays: 3 })).body.data.anomaly, anomaly);
  table.put({ ...base, anomaly: { ...anomaly, source: 'backup' }, anomalyState: 'open' });
  equal((await ask(pitr.get)).body.data.anomaly, null);
  table.put({ ...base, anomaly, anomalyState: 'acknowledged' });
  equal((await ask(pitr.get)).body.data.anomaly, null);
});

test('pitr: it is disabled at first, and enabled with the defaults', async () => {
  const before = await ask(pitr.get);
  deepEqual(Pitr.parse(before.body.data).enabled, false);
  deepEqual((await ask(pitr.windows)).body.data, {
    windows: [],
    gaps: [],
    sampled: [],
    diverged: [],
    collections: { count: 0, ids: [] },
    undetectedUpToSeconds: null,
  });
  equal((await ask(pitr.update, { retentionDays: 3 })).body.error.code, 'CONFLICT');
  equal((await ask(pitr.disable)).body.error.code, 'CONFLICT');
  const enabled = await ask(pitr.enable, { storageDestinationId: storageId });
  equal(enabled.status, 202);
  const { retentionDays, captureIntervalSeconds, precision, status } = Pitr.parse(enabled.body.data);
  deepEqual([retentionDays, captureIntervalSeconds, precision, status], [7, 60, 'second', 'starting']);
  deepEqual((await ask(projects.get)).body.data.pitr, { enabled: true, retentionDays: 7, captureIntervalSeconds: 60 });
  equal((await ask(pitr.enable, { storageDestinationId: storageId })).body.error.code, 'CONFLICT');
  deepEqual([events(), actions()], [['pitr.enabled'], ['pitr.enabled']]);
  const [task] = table.find(`ORG#${organizationId}`, 'TASK#');
  deepEqual([task!.queue, JSON.parse(String(task!.message)).task], ['capture', { kind: 'capture', projectId, turn: 1 }]);
});

test('pitr: values out of range and unknown destinations are refused', async () => {
  for (const body of [
    { retentionDays: 0 },
    { retentionDays: 366 },
    { captureIntervalSeconds: 9 },
    { auditDays: 6 },
    { auditDays: 366 },
    { auditDays: 7.5 },
    { captureIntervalSeconds: 1_801 },
    { precision: 'minute' },
    { unknown: 1 },
  ])
    equal((await ask(pitr.enable, { storageDestinationId: storageId, ...body })).body.error.code, 'VALIDATION_ERROR');
  equal((await ask(pitr.enable)).body.error.code, 'VALIDATION_ERROR');
  equal((await ask(pitr.enable, { storageDestinationId: newId('storageDestination') })).body.error.code, 'STORAGE_NOT_FOUND');
});

test('pitr: an update starts a cycle at once; an update without changes writes nothing', async () => {
  await ask(pitr.enable, { storageDestinationId: storageId });
  equal((await ask(pitr.update, {})).status, 200);
  equal(record().turn, 1);
  const { body } = await ask(pitr.update, { captureIntervalSeconds: 20, precision: 'interval' });
  deepEqual([body.data.captureIntervalSeconds, body.data.precision, body.data.retentionDays], [20, 'interval', 7]);
  equal(record().turn, 2);
  deepEqual((await ask(projects.get)).body.data.pitr, { enabled: true, retentionDays: 7, captureIntervalSeconds: 20 });
  deepEqual(actions(), ['pitr.enabled', 'pitr.updated']);
});

test('pitr: everything is read again within 30 days, or as many as are set; captures go on', async () => {
  equal((await ask(pitr.enable, { storageDestinationId: storageId })).body.data.auditDays, 30);
  const { body } = await ask(pitr.update, { auditDays: 90 });
  deepEqual([body.data.auditDays, record().auditDays, record().turn], [90, 90, 1]);
  equal((await ask(pitr.update, { auditDays: 7, retentionDays: 3 })).body.data.auditDays, 7);
  deepEqual([record().auditDays, record().turn], [7, 2]);
  const { auditDays: _, ...older } = record();
  table.put(older);
  equal((await ask(pitr.get)).body.data.auditDays, 30);
});

test('pitr: after disabling, captures stay restorable, and their project, base and destination cannot be removed', async () => {
  await ask(pitr.enable, { storageDestinationId: storageId });
  const backupId = capture();
  const windows = PitrWindows.parse((await ask(pitr.windows)).body.data);
  equal(windows.windows.length, 1);
  const off = await ask(pitr.disable);
  deepEqual([off.status, off.body.data.enabled, off.body.data.latestRestorableAt], [200, false, windows.windows[0]!.to]);
  deepEqual((await ask(projects.get)).body.data.pitr, { enabled: false });
  deepEqual(events(), ['pitr.enabled', 'pitr.disabled']);
  equal((await ask(storageDestinations.remove, undefined, { storageId })).body.error.code, 'CONFLICT');
  const completed = { id: backupId, projectId, status: 'completed', lockedUntil: null, pitrBase: true, size: 1 };
  table.put({ pk: `ORG#${organizationId}`, sk: `BACKUP#${backupId}`, ...completed, storageDestination: { id: storageId } });
  deepEqual((await ask(backups.remove, undefined, { backupId })).body.error.details, { neededBy: 'pitr' });
  const again = await ask(pitr.enable, { storageDestinationId: storageId });
  equal(again.status, 202);
  const { gaps } = PitrWindows.parse((await ask(pitr.windows)).body.data);
  deepEqual([gaps.length, gaps[0]!.to], [1, null]);
});

test('pitr: a project with captures cannot be moved; the error says until when', async () => {
  const other = newId('organization');
  for (const item of table.find(`ORG#${organizationId}`).filter(({ sk }) => /^(META|MEMBER)/.test(String(sk))))
    table.put({ ...item, pk: `ORG#${other}`, ...(item.sk === 'META' && { id: other }) });
  await ask(pitr.enable, { storageDestinationId: storageId });
  capture();
  match((await ask(projects.update, { organizationId: other })).body.error.message, /disable it/);
  await ask(pitr.disable);
  const { error } = (await ask(projects.update, { organizationId: other })).body;
  equal(error.code, 'CONFLICT');
  ok(Date.parse(String(error.details.until)) > Date.now() + 6 * 24 * 3_600_000);
});

test('pitr: disconnecting a project stops its captures and deletes them', async () => {
  await ask(pitr.enable, { storageDestinationId: storageId });
  const backupId = capture();
  equal((await ask(projects.remove)).status, 200);
  deepEqual([record().status, record().nextTurnAt], ['disabled', null]);
  deepEqual(events().sort(), ['pitr.disabled', 'pitr.enabled', 'project.deleted']);
  equal((await ask(pitr.get)).body.error.code, 'PROJECT_NOT_FOUND');
  const tasks = table
    .find(`ORG#${organizationId}`, 'TASK#')
    .map(({ queue, message }) => [queue, JSON.parse(String(message)).task]);
  deepEqual(
    tasks.filter(([, { kind }]) => kind === 'expire-captures'),
    [['bucketWork', { kind: 'expire-captures', projectId }]],
  );
  const refused = await ask(storageDestinations.remove, undefined, { storageId });
  deepEqual([refused.status, refused.body.error.details], [409, { projectId }]);
  match(refused.body.error.message, /being deleted/);
  const completed = { id: backupId, projectId, status: 'completed', lockedUntil: null, pitrBase: true, size: 1 };
  table.put({ pk: `ORG#${organizationId}`, sk: `BACKUP#${backupId}`, ...completed, storageDestination: { id: storageId } });
  const base = (await ask(backups.remove, undefined, { backupId })).body.error;
  deepEqual([base.code, base.details], ['CONFLICT', { neededBy: 'pitr' }]);
  match(base.message, /being deleted/);
});
