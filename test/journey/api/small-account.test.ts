/**
 * A new AWS account runs ten functions at once: the API answers while a wide backup runs and endpoints hang. The stage's clocks are
 * not faster than real ones: watchdogs and returned messages would come more often than functions can end.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, test } from 'vitest';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import { spawnStage } from '../../harness/faults/killable-stage.ts';
import { newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { addFault } from '../../harness/stage/firestore-faults.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { startReceiver } from '../../harness/stage/receiver.ts';

const dir = mkdtempSync(join(tmpdir(), 'stage-'));
const stage = await spawnStage(dir, { delayScale: 1, config: { accountConcurrency: 10 }, isTableInMemory: true });
Object.assign(process.env, stage.variables);
const receiver = await startReceiver({ answer: { delayMs: 5_000 } });
afterAll(async () => {
  await stage.kill();
  await receiver.stop();
  rmSync(dir, { recursive: true, force: true });
});

const collections = Array.from({ length: 20 }, (_, n) => `items${n}`);

test('a small account: during a backup of twenty ranges, with hanging webhooks, no call of the API is throttled', async () => {
  const organization = await newOrganization();
  const by = { token: organization.owner.accessToken, org: organization.id };
  const [project, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
  await seed(
    project.sourceProjectId,
    Object.fromEntries(collections.flatMap((id) => [0, 1, 2].map((n) => [`${id}/d${n}`, { n: { integerValue: n } }]))),
  );
  // Each event reaches twelve endpoints that answer only after seconds.
  for (let n = 0; n < 12; n++) {
    const hook = { name: `Hook ${n}`, url: receiver.url(`/hanging-${n}`), events: ['backup.*'] };
    equal((await call(webhooks.create, { ...by, body: hook })).status, 201);
  }
  const { limits } = (await call(organizations.current, by)).body.data;
  deepEqual([limits.concurrentBackups.limit, limits.concurrentRestores.limit], [1, 1]);

  const release = await addFault({ project: project.sourceProjectId, delayMs: 500, times: 2_000 });
  const body = { projectId: project.id, storageDestinationId: destination.id, type: 'full', collections };
  const { id: backupId } = await startBackup(organization, body);
  const answers: number[] = [];
  let isOver = false;
  const watch = async (): Promise<void> => {
    const { status, body: answer } = await call(backups.get, { ...by, params: { backupId }, isOnce: true });
    answers.push(status);
    isOver = status === 200 && !['pending', 'running'].includes(answer.data.status);
  };
  const look = async (): Promise<void> => {
    answers.push((await call(organizations.current, { ...by, isOnce: true })).status);
  };
  // Two callers at once, as many as the API has a share for.
  await Promise.all(
    [watch, look].map(async (send) => {
      while (!isOver) {
        await send();
        await pause(50);
      }
    }),
  );
  await release();
  const ended = (await call(backups.get, { ...by, params: { backupId } })).body.data;
  equal(ended.status, 'completed');
  ok(answers.length > 20, `${answers.length} calls`);
  ok(receiver.requests.length > 0, 'endpoints hung meanwhile');
  const refused = answers.filter((status) => status !== 200);
  deepEqual(refused, [], `${refused.length} of ${answers.length} calls were refused:\n${throttles().join('\n')}`);
});

/** What the stage logged about throttled functions: which ones ran at that moment. */
const throttles = (): readonly string[] =>
  readdirSync(join(dir, 'log')).flatMap((file) =>
    readFileSync(join(dir, 'log', file), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('throttled, because'))
      .map((line) => `${file}: ${line}`),
  );
