/** Every log line of a function has the ids of its request and resources, and each event is measured once. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, test } from 'vitest';
import { endpoints } from '../../shared/contract/index.ts';
import { type Worker, workers } from '../../shared/contract/runtime/workers.ts';
import { takeBackup } from '../harness/stage/backup.ts';
import { stageVariable } from '../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../harness/stage/organization.ts';
import { restore } from '../harness/stage/restore.ts';

interface Line {
  readonly fn: string;
  readonly line: Readonly<Record<string, unknown>>;
}

/** All log lines so far; an incomplete last line is skipped. */
const logged = (): readonly Line[] =>
  globSync(join(stageVariable('STAGE_DIR'), 'log', '*.log')).flatMap((file) => {
    const fn = /-(?:engine|api)-(\w+?)[0-9A-F]{8}\.log$/.exec(basename(file))?.[1] ?? '';
    const texts = readFileSync(file, 'utf8').split('\n');
    return texts
      .slice(0, -1)
      .flatMap((text) => (text.startsWith('{"level"') ? [{ fn, line: JSON.parse(text) as Line['line'] }] : []));
  });

let organization: TestOrganization;
let backupId: string;
let restoreJobId: string;
const about = (metric: string): readonly Line[] =>
  logged().filter(({ line }) => line.organizationId === organization.id && line[metric] !== undefined);

beforeAll(async () => {
  organization = await newOrganization();
  ({ id: backupId } = await takeBackup(organization));
  ({ restoreJobId } = await restore(organization, { backupId }));
  while (about('RestoresCompleted').length === 0) await pause(100);
});

test('log: every line has the id of its request or run', () =>
  assert.deepEqual(
    logged().filter(({ line }) => line.requestId === undefined),
    [],
  ));

const workerOf = (fn: string): Worker | undefined =>
  Object.entries<Worker>(workers).find(([name]) => name.toLowerCase() === fn.toLowerCase())?.[1];
const idsMissing = (names: readonly string[], lines: readonly Line[]) =>
  lines.filter(({ line }) => names.every((name) => line[name] === undefined));

/** Of an unreadable message only its own id is known. */
const ofUnread = ['task failed', 'task dropped: unknown kind'];

test('log: every line of a message or step has its organization, and every line of a job the job', () => {
  const lines = logged();
  const worked = lines.filter(({ fn, line }) => {
    const trigger = workerOf(fn)?.trigger;
    return trigger === 'step' || (trigger === 'queue' && !ofUnread.includes(String(line.message)));
  });
  assert.ok(worked.length > 5);
  assert.deepEqual(idsMissing(['organizationId'], worked), []);
  const ofJobs = (kind: 'Backup' | 'Restore') =>
    worked.filter(({ fn }) => fn.startsWith(kind) && !fn.startsWith('RestoreTest') && workerOf(fn)?.trigger === 'step');
  assert.ok(ofJobs('Backup').length > 0 && ofJobs('Restore').length > 0);
  assert.deepEqual(idsMissing(['backupId'], ofJobs('Backup')), []);
  assert.deepEqual(idsMissing(['restoreJobId'], ofJobs('Restore')), []);
  const ofRestoreTests = worked.filter(({ fn }) => fn === 'RestoreTestRun');
  assert.deepEqual(idsMissing(['runId'], ofRestoreTests), []);
});

test('log: every line of a call has its operation and, once authorized, its organization', () => {
  const answered = logged().filter(({ line }) => line.message === 'call finished');
  assert.ok(answered.length > 5);
  assert.deepEqual(idsMissing(['operation'], answered), []);
  const inside = new Set<unknown>(endpoints.flatMap(({ id, access }) => (typeof access === 'object' ? [id] : [])));
  const served = answered.filter(({ line }) => inside.has(line.operation) && Number(line.status) < 300);
  assert.ok(served.length > 0);
  assert.deepEqual(idsMissing(['organizationId'], served), []);
});

test('log: a backup and a restore are measured once each, with their ids', () => {
  const [made, ...more] = about('BackupsCompleted').filter(({ line }) => line.backupId === backupId);
  assert.deepEqual([made?.line.DocumentsBackedUp, more.length], [3, 0]);
  const restores = about('RestoresCompleted').filter(({ line }) => line.restoreJobId === restoreJobId);
  assert.deepEqual(
    restores.map(({ line }) => line.DocumentsRestored),
    [3],
  );
});
