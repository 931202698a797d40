/** Restores end on the stage: by the reaper if their workflow was stopped, by the workflow if they were cancelled. */
import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { SFNClient, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { describe, test } from 'vitest';
import { account } from '../../../infra/local/base/types.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { restores } from '../../../shared/contract/endpoints/restores.ts';
import { newDestination, newProject, seed, takeBackup } from '../../harness/stage/backup.ts';
import { call, stageVariable } from '../../harness/stage/client.ts';
import { addFault } from '../../harness/stage/firestore-faults.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { contentsOf, endOfRestore, readRestore, startRestore, undo } from '../../harness/stage/restore.ts';
import { itemsOf } from '../../harness/stage/table.ts';

const region = stageVariable('STAGE_REGION');
const workflow = `arn:aws:states:${region}:${account}:stateMachine:backup-management-service-restore`;
Object.assign(process.env, {
  AWS_ENDPOINT_URL: stageVariable('STAGE_AWS_URL'),
  AWS_ACCESS_KEY_ID: stageVariable('STAGE_AWS_KEY'),
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_REGION: region,
  TABLE_NAME: stageVariable('STAGE_TABLE'),
  PLAN: 'enterprise',
  AUDIT_RETENTION_DAYS: '365',
  RESTORE_WORKFLOW_ARN: workflow,
});
const { log, describeExecution } = await import('../../../shared/platform/index.ts');
log.setLogLevel('SILENT');
const { reap: handler } = await import('../../../functions/restore/workflow.ts');

const text = (stringValue: string) => ({ text: { stringValue } });
const before = { 'a/1': text('here before'), 'a/2': text('not in the backup') };
const archived = { 'a/1': text('one'), 'b/1': text('two'), 'b/2': text('three') };

interface WriterSetup {
  readonly organization: TestOrganization;
  readonly by: { readonly token: string; readonly org: string };
  readonly backupId: string;
  readonly source: string;
  readonly wish: object;
  /** Lets the target take writes again. */
  mend(): Promise<void>;
}

/** A backup, and another project into which nothing can be written for now. */
const newScene = async (): Promise<WriterSetup> => {
  const organization = await newOrganization();
  const [project, target, destination] = await Promise.all([
    newProject(organization),
    newProject(organization, { name: 'Target' }),
    newDestination(organization),
  ]);
  await Promise.all([seed(project.sourceProjectId, archived), seed(target.sourceProjectId, before)]);
  const { id: backupId } = await takeBackup(organization, { projectId: project.id, storageDestinationId: destination.id });
  const source = target.sourceProjectId;
  const mend = await addFault({ project: source, method: 'BatchWrite', delayMs: 2_000, status: 'UNAVAILABLE', times: 1_000 });
  const by = { token: organization.owner.accessToken, org: organization.id };
  return { organization, by, backupId, source, wish: { backupId, targetProjectId: target.id }, mend };
};

/** A restore that is about to write. */
const begin = async ({ organization, wish }: WriterSetup): Promise<string> => {
  const { restoreJobId } = await startRestore(organization, wish);
  while ((await readRestore(organization, restoreJobId)).phase !== 'Restoring') await pause(50);
  return restoreJobId;
};
const failures = async ({ organization }: WriterSetup) =>
  (await itemsOf(`ORG#${organization.id}`)).filter(({ type }) => type === 'restore.failed').length;
const isLocked = async ({ organization }: WriterSetup): Promise<boolean> =>
  (await itemsOf(`ORG#${organization.id}`)).some(({ sk }) => sk.startsWith('JOB#'));

// Each in an organization of its own.
describe('end of a restore', { concurrent: true }, () => {
  test('a restore whose workflow was stopped fails once, and can be resumed and undone', async () => {
    const setup = await newScene();
    const { organization, by, source, backupId } = setup;
    const id = await begin(setup);
    // Other tests run at the same time; failures of their restores are ignored.
    await handler().catch(() => undefined);
    equal(await describeExecution('RESTORE_WORKFLOW_ARN', `${id}-1`), 'running', 'one that runs is left alone');
    const refusal = await call(backups.remove, { ...by, params: { backupId } });
    deepEqual([refusal.status, refusal.body.error?.code, refusal.body.error?.details?.kind], [409, 'JOB_IN_PROGRESS', 'restore']);
    await new SFNClient().send(
      new StopExecutionCommand({ executionArn: `${workflow.replace('stateMachine', 'execution')}:${id}-1` }),
    );
    await Promise.all([handler(), handler()].map((run) => run.catch(() => undefined)));
    const failed = await readRestore(organization, id);
    deepEqual([failed.status, failed.phase, failed.error?.code], ['failed', 'Restoring', 'INTERNAL_ERROR']);
    notEqual(failed.undoUntil, null);
    deepEqual([await failures(setup), await isLocked(setup)], [1, false]);
    await setup.mend();
    equal((await call(restores.resume, { ...by, params: { restoreJobId: id }, body: {} })).status, 202);
    const { status, attempts, documentsRestored } = await endOfRestore(organization, id);
    deepEqual([status, attempts, documentsRestored], ['completed', 2, 3]);
    deepEqual(await contentsOf(source), { ...before, ...archived });
    await undo(organization, id);
    deepEqual(await contentsOf(source), before);
    equal((await call(backups.remove, { ...by, params: { backupId } })).status, 200);
  });

  // Its writers notice the cancellation within two seconds. On a machine that takes longer for the next call, it is tried again.
  test('a cancelled restore keeps its target locked until its workflow has stopped writing, and emits one event', {
    retry: 3,
  }, async () => {
    const setup = await newScene();
    const { organization, by } = setup;
    const id = await begin(setup);
    const cancelled = await call(restores.cancel, { ...by, params: { restoreJobId: id }, body: {} });
    const { status, cancelling } = cancelled.body.data;
    deepEqual([cancelled.status, status, cancelling], [200, 'running', true]);
    const next = await call(restores.create, { ...by, body: setup.wish });
    deepEqual(
      [next.status, next.body.error?.code, next.body.error?.details],
      [409, 'JOB_IN_PROGRESS', { jobId: id, kind: 'restore' }],
    );
    await setup.mend();
    while (await isLocked(setup)) await pause(100);
    const ended = await readRestore(organization, id);
    deepEqual([ended.status, ended.cancelling, ended.error?.code], ['cancelled', false, 'CANCELLED']);
    equal(await describeExecution('RESTORE_WORKFLOW_ARN', `${id}-1`).then((state) => state !== 'unknown'), true);
    equal(await failures(setup), 1);
    const again = await endOfRestore(organization, (await startRestore(organization, setup.wish)).restoreJobId);
    equal(again.status, 'completed');
  });
});
