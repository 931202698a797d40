/** A stage whose organizations may run one backup at once: scheduled runs wait for their turn. */
import { deepEqual, equal } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, test } from 'vitest';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { schedules } from '../../../shared/contract/endpoints/schedules.ts';
import { spawnStage } from '../../harness/faults/killable-stage.ts';
import { newDestination, newProject, seed } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { addFault } from '../../harness/stage/firestore-faults.ts';
import { newOrganization } from '../../harness/stage/organization.ts';

const dir = mkdtempSync(join(tmpdir(), 'stage-'));
const stage = await spawnStage(dir, {
  delayScale: 300,
  config: { concurrentBackups: 1, schedulesPerOrganization: 3 },
  isTableInMemory: true,
});
Object.assign(process.env, stage.variables);
afterAll(async () => {
  await stage.kill();
  rmSync(dir, { recursive: true, force: true });
});

const organization = await newOrganization();
const by = { token: organization.owner.accessToken, org: organization.id };
const destination = await newDestination(organization);
const projects = await Promise.all([1, 2, 3].map(() => newProject(organization)));
await Promise.all(projects.map((project) => seed(project.sourceProjectId, { 'users/ada': { name: { stringValue: 'Ada' } } })));

const until = async <T>(look: () => Promise<T>, isSo: (seen: T) => boolean): Promise<T> => {
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    await pause(100);
  }
};
const limits = async () => (await call(organizations.current, by)).body.data.limits;
const list = async () => (await call(schedules.list, by)).body.data;

test('waiting: runs beyond the limit show their positions and all complete, and limits show what is used', async () => {
  const releases = await Promise.all(
    projects.map(({ sourceProjectId }) => addFault({ project: sourceProjectId, delayMs: 1_500, times: 200 })),
  );
  // Six minutes from now, every day: all at the same time.
  const due = new Date((Math.floor(Date.now() / 60_000) + 6) * 60_000);
  const cron = `${due.getUTCMinutes()} ${due.getUTCHours()} * * *`;
  const schedule = (projectId: string) => ({ projectId, name: 'Nightly', cron, storageDestinationId: destination.id });
  for (const { id } of projects) equal((await call(schedules.create, { ...by, body: schedule(id) })).status, 201);
  const refused = await call(schedules.create, { ...by, body: schedule(projects[0]!.id) });
  deepEqual([refused.status, refused.body.error.message], [409, 'An organization can have at most 3 schedules']);

  const seen = await until(list, (all) => all.filter(({ waitingFor }) => waitingFor).length === 2);
  deepEqual(seen.flatMap(({ waitingFor }) => (waitingFor ? [[waitingFor.reason, waitingFor.position]] : [])).toSorted(), [
    ['capacity', 1],
    ['capacity', 2],
  ]);
  const used = await limits();
  deepEqual(
    [used.schedules, used.concurrentBackups],
    [
      { limit: 3, used: 3 },
      { limit: 1, used: 1 },
    ],
  );
  // A backup that is started by hand does not wait.
  const manual = await call(backups.create, {
    ...by,
    body: { projectId: projects[0]!.id, type: 'full', storageDestinationId: destination.id },
  });
  deepEqual([manual.status, manual.body.error.code], [409, 'JOB_IN_PROGRESS']);

  for (const release of releases) await release();
  const done = await until(list, (all) => all.every(({ lastSuccessAt }) => lastSuccessAt !== null));
  deepEqual(
    done.map(({ waitingFor, failing, lastOutcome }) => [waitingFor, failing, lastOutcome?.status]),
    done.map(() => [null, null, 'completed']),
  );
  equal((await limits()).concurrentBackups.used, 0);
});
