/** The reaper at work on the stage: a backup whose workflow was stopped is ended, once, and cleaned up after. */
import { deepEqual, equal } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { SFNClient, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { test } from 'vitest';
import { account } from '../../../infra/local/base/types.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { endOf, newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { call, stageVariable } from '../../harness/stage/client.ts';
import { addFault } from '../../harness/stage/firestore-faults.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { itemsOf } from '../../harness/stage/table.ts';

const region = stageVariable('STAGE_REGION');
const workflow = `arn:aws:states:${region}:${account}:stateMachine:backup-management-service-backup`;
Object.assign(process.env, {
  ...{ AWS_ENDPOINT_URL: stageVariable('STAGE_AWS_URL'), AWS_ACCESS_KEY_ID: stageVariable('STAGE_AWS_KEY') },
  ...{ AWS_SECRET_ACCESS_KEY: 'local', AWS_REGION: region, TABLE_NAME: stageVariable('STAGE_TABLE') },
  ...{ PLAN: 'enterprise', AUDIT_RETENTION_DAYS: '365', BACKUP_WORKFLOW_ARN: workflow },
});
const { log, describeExecution } = await import('../../../shared/platform/index.ts');
log.setLogLevel('SILENT');
const { reap: handler } = await import('../../../functions/backup/workflow.ts');

test('reaper: a backup whose workflow was stopped fails once and releases its project', async () => {
  const organization = await newOrganization();
  const by = { token: organization.owner.accessToken, org: organization.id };
  const [project, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
  await seed(project.sourceProjectId, { 'a/1': {} });
  const mend = await addFault({ project: project.sourceProjectId, method: 'RunQuery', delayMs: 20_000, times: 100 });
  const wish = { projectId: project.id, storageDestinationId: destination.id };
  const { id } = await startBackup(organization, wish);
  const phase = async () => (await call(backups.get, { ...by, params: { backupId: id } })).body.data.phase;
  while ((await phase()) !== 'copying') await pause(50);
  // Other files share the stage: a backup of theirs may wait for its clean-up, which is beyond this process.
  await handler().catch(() => undefined);
  equal(await describeExecution('BACKUP_WORKFLOW_ARN', id), 'running', 'one that runs is left alone');
  await new SFNClient().send(
    new StopExecutionCommand({ executionArn: `${workflow.replace('stateMachine', 'execution')}:${id}` }),
  );
  // Cleaning the bucket is beyond this process, which has no key to the destination's credentials: it says so and tries again.
  await Promise.all([handler(), handler()].map((run) => run.catch(() => undefined)));
  const { status, error } = (await call(backups.get, { ...by, params: { backupId: id } })).body.data;
  deepEqual([status, error?.code], ['failed', 'INTERNAL_ERROR']);
  const items = await itemsOf(`ORG#${organization.id}`);
  equal(items.filter(({ type }) => type === 'backup.failed').length, 1);
  deepEqual(
    items.filter(({ sk }) => sk.startsWith('JOB#')),
    [],
  );
  await mend();
  const next = await startBackup(organization, wish);
  equal((await endOf(organization, next.id)).status, 'completed');
});
