/** The token service of the stage verifies what Google verifies: checked with Google's own library, which knows nothing of the stage. */
import { deepEqual, equal, match, rejects, throws } from 'node:assert/strict';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { AwsClient } from 'google-auth-library';
import { afterAll, afterEach, beforeAll, test, vi } from 'vitest';
import { authorizeFederated } from '../../../../../../infra/local/boot/authorize-federated.ts';
import { evaluateCel } from '../../../../../../infra/local/engines/identity/federation/cel.ts';
import { runGcloud } from '../../../../../../infra/local/engines/identity/federation/gcloud.ts';
import { projectNumberOf } from '../../../../../../infra/local/engines/identity/federation/google-iam.ts';
import { awsAccount, type Federation, googleRoleArn, startFederation } from '../../../../../harness/google/start-federation.ts';

const session = 'org_01JZ8Q4V0M6T3X9C2B7N5K1HRD';
const arn = `arn:aws:sts::${awsAccount}:assumed-role/backups-google-eu-central-1/${session}`;
const pool = `projects/${projectNumberOf('shop')}/locations/global/workloadIdentityPools/backups`;
const audience = `//iam.googleapis.com/${pool}/providers/backup-service`;
const member = `principal://iam.googleapis.com/${pool}/subject/${arn}`;
const email = 'reader@shop.iam.gserviceaccount.com';

let google: Federation;
beforeAll(async () => {
  google = await startFederation();
  const gcloud = (line: string) => runGcloud(google.iam, line.split(' '));
  gcloud('iam workload-identity-pools create backups --project=shop --location=global');
  gcloud(
    `iam workload-identity-pools providers create-aws backup-service --project shop --location global --workload-identity-pool backups --account-id=${awsAccount} --attribute-mapping=google.subject=assertion.arn --attribute-condition=assertion.arn=='${arn}'`,
  );
});
afterAll(() => google.stop());
afterEach(() => vi.useRealTimers());

const credentialsOf = async (sessionName: string) => {
  const { Credentials } = await new STSClient({
    endpoint: process.env.AWS_ENDPOINT_URL ?? '',
    region: 'eu-central-1',
    credentials: { accessKeyId: 'LOCALROOT', secretAccessKey: 'x' },
  }).send(new AssumeRoleCommand({ RoleArn: googleRoleArn, RoleSessionName: sessionName }));
  return {
    accessKeyId: Credentials!.AccessKeyId!,
    secretAccessKey: Credentials!.SecretAccessKey!,
    token: Credentials!.SessionToken!,
  };
};

interface Choices {
  readonly sessionName?: string;
  readonly secretAccessKey?: string;
  readonly audience?: string;
  readonly impersonated?: string;
}

const clientOf = async (choices: Choices = {}): Promise<AwsClient> => {
  const own = await credentialsOf(choices.sessionName ?? session);
  const { secretAccessKey = own.secretAccessKey } = choices;
  return new AwsClient({
    type: 'external_account',
    audience: choices.audience ?? audience,
    subject_token_type: 'urn:ietf:params:aws:token-type:aws4_request',
    token_url: `${google.url}/google/sts/v1/token`,
    aws_security_credentials_supplier: {
      getAwsRegion: async () => 'eu-central-1',
      getAwsSecurityCredentials: async () => ({ ...own, secretAccessKey }),
    },
    ...(choices.impersonated && {
      service_account_impersonation_url: `${google.url}/google/credentials/v1/projects/-/serviceAccounts/${choices.impersonated}:generateAccessToken`,
    }),
  });
};

const tokenOf = async (choices?: Choices): Promise<string> => (await (await clientOf(choices)).getAccessToken()).token ?? '';

/** Exchanges a subject token that was changed after the library had signed it. */
const altered = async (
  change: (request: { url: string; method: string; headers: { key: string; value: string }[] }) => unknown,
) => {
  const request = JSON.parse(decodeURIComponent(await (await clientOf()).retrieveSubjectToken()));
  change(request);
  const response = await fetch(`${google.url}/google/sts/v1/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      audience,
      scope: 'https://www.googleapis.com/auth/datastore',
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      subject_token: encodeURIComponent(JSON.stringify(request)),
      subject_token_type: 'urn:ietf:params:aws:token-type:aws4_request',
    }),
  });
  const { error, error_description } = (await response.json()) as Record<string, string>;
  return `${response.status} ${error ?? 'accepted'}: ${error_description ?? ''}`;
};
const set = (name: string, value: string) => (request: { headers: { key: string; value: string }[] }) => {
  for (const header of request.headers) if (header.key === name) header.value = value;
};

test('token service: the official library gets a token for the session that the condition names', async () => {
  match(await tokenOf(), /^ya29\.federated\./);
  equal(await altered(() => undefined), '200 accepted: ');
});

test('token service: another session, another pool and a foreign signature are refused', async () => {
  await rejects(tokenOf({ sessionName: 'org_other' }), /unauthorized_client: The given credential is rejected by the attribute/);
  await rejects(tokenOf({ audience: audience.replace('backups', 'nowhere') }), /invalid_target/);
  await rejects(tokenOf({ secretAccessKey: 'guessed' }), /invalid_grant.*SignatureDoesNotMatch/);
});

test('token service: nothing of the signed request can be changed', async () => {
  match(await altered(set('x-goog-cloud-target-resource', '//iam.googleapis.com/other')), /^400 invalid_grant: x-goog-cloud/);
  match(await altered(set('x-amz-date', '20200101T000000Z')), /SignatureDoesNotMatch/);
  match(await altered(set('x-amz-security-token', 'other')), /InvalidClientTokenId/);
  match(await altered(set('host', 'sts.eu-west-1.amazonaws.com')), /SignatureDoesNotMatch/);
  match(
    await altered((request) => {
      request.method = 'GET';
    }),
    /must be a POST/,
  );
  for (const url of [
    'https://sts.eu-central-1.amazonaws.com.example.com?Action=GetCallerIdentity&Version=2011-06-15',
    'http://sts.eu-central-1.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15',
    'https://sts.eu-central-1.amazonaws.com/other?Action=GetCallerIdentity&Version=2011-06-15',
  ])
    match(
      await altered((request) => {
        request.url = url;
      }),
      /not a regional endpoint/,
    );
  match(
    await altered((request) => {
      request.url = request.url.replace('GetCallerIdentity', 'AssumeRole');
    }),
    /not GetCallerIdentity/,
  );
});

test('token service: a request that was signed 16 minutes ago or ahead is refused', async () => {
  const now = Date.now();
  for (const [minutes, word] of [
    [-16, 'expired'],
    [16, 'not yet current'],
  ] as const) {
    const client = await clientOf();
    vi.useFakeTimers({ now: now + minutes * 60_000, toFake: ['Date'] });
    const subject = await client.retrieveSubjectToken();
    vi.useRealTimers();
    const said = await altered((request) => Object.assign(request, JSON.parse(decodeURIComponent(subject))));
    match(said, new RegExp(`SignatureDoesNotMatch.*Signature ${word}`));
  }
});

test('token service: a service account is acted for with roles/iam.workloadIdentityUser only', async () => {
  await rejects(tokenOf({ impersonated: email }), /iam\.serviceAccounts\.getAccessToken/);
  google.iam.addBinding({ resource: `serviceAccounts/${email}`, member, role: 'roles/iam.workloadIdentityUser' });
  const authorize = authorizeFederated(google.state);
  const token = await tokenOf({ impersonated: email });
  throws(() => authorize(token, 'shop', 'RunQuery'), /Missing or insufficient/);
  google.iam.addBinding({ resource: 'projects/shop', member: `serviceAccount:${email}`, role: 'roles/datastore.viewer' });
  authorize(token, 'shop', 'RunQuery');
  throws(() => authorize(token, 'shop', 'Commit'), /Missing or insufficient/);
  throws(() => authorize('ya29.federated.unknown', 'shop', 'RunQuery'), /invalid authentication/);
  authorize('any other token', 'shop', 'Commit');
});

test('gcloud of the stage: unknown commands and flags, a missing pool and an invalid condition are errors', () => {
  const run = (line: string) => () => runGcloud(google.iam, line.split(' '));
  throws(run('iam roles list x'), /does not support/);
  throws(
    run('iam workload-identity-pools create again --project=shop --location=global --wrong=1'),
    /unrecognized arguments: --wrong/,
  );
  throws(run('iam workload-identity-pools create again --project=shop --location=eu'), /must be global/);
  const provider = 'iam workload-identity-pools providers create-aws p --project=shop --location=global --account-id=1';
  throws(run(`${provider} --workload-identity-pool=nowhere`), /does not exist/);
  throws(run(`${provider} --workload-identity-pool=backups --attribute-condition=evil()`), /invalid expression/);
  equal(run('projects describe shop --format=value(projectNumber)')(), projectNumberOf('shop'));
});

test('conditions: comparisons, combinations and extracts are evaluated', () => {
  const assertion = { arn, account: awsAccount };
  const outcomes = [
    `assertion.arn == '${arn}'`,
    `assertion.arn.startsWith('arn:aws:sts::${awsAccount}:') && assertion.arn.endsWith('HRD')`,
    "assertion.arn.contains('nothing') || assertion.account != '1'",
    "assertion.arn.contains('nothing')",
    "assertion.arn.extract('/backups-google-eu-central-1/{session}')",
    "assertion.arn.extract('assumed-role/{role}/')",
  ].map((expression) => evaluateCel(expression, assertion));
  deepEqual(outcomes, [true, true, true, false, session, 'backups-google-eu-central-1']);
});
