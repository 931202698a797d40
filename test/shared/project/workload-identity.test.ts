/** Access without a key, against the stage's token service. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import { projectNumberOf } from '../../../infra/local/engines/identity/federation/google-iam.ts';
import { WorkloadIdentity, workloadIdentityFlaw } from '../../../shared/contract/workload-identity.ts';
import { federatedAccessToken, TokenError, unsafeTenant } from '../../../shared/platform/index.ts';
import { workloadIdentitySetup } from '../../../shared/project/index.ts';
import { moveConnection, sourceToken } from '../../../shared/project/source-token.ts';
import { workloadIdentityConnection } from '../../../shared/project/workload-identity-connection.ts';
import { runGcloudShell } from '../../harness/google/run-gcloud-shell.ts';
import { type Federation, startFederation } from '../../harness/google/start-federation.ts';

const tenant = unsafeTenant('org_01JWNVAV000000000000000000', 'record');
const other = unsafeTenant('org_01JWNVAV000000000000000001', 'record');
const role = 'roles/datastore.viewer';
const email = 'backups@shop.iam.gserviceaccount.com';

let google: Federation;
beforeAll(async () => {
  google = await startFederation();
});
afterAll(() => google.stop());
beforeEach(() => {
  google.fail = undefined;
});

const paste = async (...commands: readonly string[]): Promise<void> => {
  for (const command of commands) await runGcloudShell(command, String(google.port));
};
const setUp = async (sourceProjectId: string, more: object = {}) => {
  const setup = workloadIdentitySetup(tenant, { sourceProjectId, role, ...more });
  await paste(...setup.commands.map(({ command }) => command));
  return setup;
};
const identityOf = (sourceProjectId: string) => ({ projectNumber: projectNumberOf(sourceProjectId) });
const refusal = async (work: Promise<unknown>): Promise<{ message: string; code?: string; isTransient?: boolean }> =>
  work.then(
    () => ({ message: 'accepted' }),
    (error: Error) => error,
  );

test('setup: the three commands are pasted as they are, and the organization gets a token', async () => {
  const { commands, audience, principal, awsAccountId, attributeCondition } = await setUp('shop', identityOf('shop'));
  deepEqual(
    commands.map(({ command }) => command.split(' ').slice(0, 4).join(' ')),
    [
      'gcloud iam workload-identity-pools create',
      'gcloud iam workload-identity-pools providers',
      'gcloud projects add-iam-policy-binding shop',
    ],
  );
  equal(awsAccountId, '123456789012');
  ok(attributeCondition.endsWith(`/${tenant.organizationId}'`));
  deepEqual(google.iam.rolesOf('projects/shop', principal ?? ''), [role]);
  const connection = await workloadIdentityConnection(tenant, identityOf('shop'));
  deepEqual(connection, { type: 'workload_identity', email: '', audience });
  const token = sourceToken(tenant, { id: 'prj_1', connection });
  const first = await token({ refresh: false });
  match(first, /^ya29\.federated\./);
  equal(await token({ refresh: false }), first);
  ok((await token({ refresh: true })) !== first);
});

test('setup: without a project number the shell asks Google for it', async () => {
  const { audience, principal } = await setUp('numberless');
  deepEqual([audience, principal], [null, null]);
  const { principal: wanted } = workloadIdentitySetup(tenant, {
    sourceProjectId: 'numberless',
    role,
    ...identityOf('numberless'),
  });
  deepEqual(google.iam.rolesOf('projects/numberless', wanted ?? ''), [role]);
});

test('setup: with a service account the organization may act as it', async () => {
  const { audience } = await setUp('acting', { ...identityOf('acting'), serviceAccountEmail: email });
  const identity = { audience: audience ?? '', sessionName: tenant.organizationId, serviceAccountEmail: email };
  match((await federatedAccessToken(identity, ['scope'])).token, /^ya29/);
  const { message, isTransient } = await refusal(
    federatedAccessToken({ ...identity, serviceAccountEmail: `x${email}` }, ['scope']),
  );
  match(message, /may not act as xbackups@.*roles\/iam\.workloadIdentityUser/);
  equal(isTransient, false);
});

test('another organization of the service gets no token from the pool', async () => {
  const connection = await workloadIdentityConnection(other, identityOf('shop'));
  await rejects(
    sourceToken(other, { id: 'prj_2', connection })({ refresh: false }),
    /attribute condition.*org_01JWNVAV000000000000000001'/,
  );
});

test('a provider that accepts every organization is refused', async () => {
  const [create = '', provider = ''] = workloadIdentitySetup(tenant, { sourceProjectId: 'open', role }).commands.map(
    (each) => each.command,
  );
  await paste(create, provider.replace(/ --attribute-condition=.*$/, ''));
  const { code, message } = await refusal(workloadIdentityConnection(tenant, identityOf('open')));
  equal(code, 'SOURCE_AUTH_ERROR');
  match(
    message,
    /accepts other organizations.*assertion\.arn=='arn:aws:sts::123456789012:assumed-role\/.*\/org_01JWNVAV000000000000000000'/,
  );
  await paste(provider.replace('create-aws', 'update-aws').replace(/=='(.*)\/org_\w+'/, ".startsWith('$1/org_')"));
  for (const organization of [tenant, other])
    equal((await refusal(workloadIdentityConnection(organization, identityOf('open')))).code, 'SOURCE_AUTH_ERROR');
});

test('a missing pool, another AWS account and an unavailable token service have their own messages', async () => {
  const exchange = (project: string) =>
    refusal(
      federatedAccessToken(
        {
          audience: `//iam.googleapis.com/projects/${projectNumberOf(project)}/locations/global/workloadIdentityPools/backups/providers/backup-service`,
          sessionName: tenant.organizationId,
        },
        ['scope'],
      ),
    );
  match((await exchange('nowhere')).message, /knows no enabled workload identity pool provider/);
  await setUp('elsewhere');
  const [, provider = ''] = workloadIdentitySetup(tenant, { sourceProjectId: 'elsewhere', role }).commands.map(
    (each) => each.command,
  );
  await paste(provider.replace('create-aws', 'update-aws').replace('123456789012 ', '210987654321 '));
  match((await exchange('elsewhere')).message, /account id 123456789012/);
  google.fail = 503;
  const failed = await refusal(federatedAccessToken({ audience: '//x', sessionName: 'org_x' }, ['scope']));
  ok(failed instanceof TokenError && failed.isTransient, failed.message);
  equal((await refusal(workloadIdentityConnection(tenant, identityOf('shop')))).code, 'SERVICE_UNAVAILABLE');
});

test('errors of the token service contain nothing of the signed request', async () => {
  const error = await refusal(federatedAccessToken({ audience: '//nowhere', sessionName: 'org_x' }, ['scope']));
  const shown = JSON.stringify(error, Object.getOwnPropertyNames(error));
  ok(!/signature|credential=|aws4_request/i.test(shown), shown);
});

test('a workload identity does not move to another organization', async () => {
  const connection = await workloadIdentityConnection(tenant, identityOf('shop'));
  deepEqual(await moveConnection(tenant, other, { id: 'prj_1', connection }), { type: 'workload_identity', email: '' });
  const moved = sourceToken(other, { id: 'prj_1', connection: { type: 'workload_identity', email: '' } });
  await rejects(moved({ refresh: false }), /former organization; reconnect/);
});

test('contract: a workload identity is given by its audience or by its parts', () => {
  const isValid = (input: object) => {
    const { data } = WorkloadIdentity.safeParse(input);
    return data !== undefined && workloadIdentityFlaw(data) === undefined;
  };
  const audience = '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/backups/providers/backup-service';
  deepEqual(
    [
      { audience },
      { audience: `https:${audience}` },
      { projectNumber: '123' },
      { projectNumber: '123', poolId: 'my-pool', providerId: 'aws-1', serviceAccountEmail: email },
    ].filter((input) => !isValid(input)),
    [],
  );
  deepEqual(
    [
      {},
      { audience, projectNumber: '1' },
      { audience, poolId: 'backups' },
      { audience: '//example.com/x' },
      { audience: `${audience}/../x` },
      { projectNumber: 'my-project' },
      { projectNumber: 123 },
      { projectNumber: '1', poolId: 'gcp-pool' },
      { projectNumber: '1', poolId: 'Ab' },
      { projectNumber: '1', serviceAccountEmail: 'ada@example.com' },
      { projectNumber: '1', serviceAccountEmail: "o'hara@my-project.iam.gserviceaccount.com" },
      { projectNumber: '1', privateKey: 'x' },
    ].filter(isValid),
    [],
  );
});
