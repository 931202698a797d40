/** The preflight against an account on a loopback address: one line for each check, and what to do. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import { checkBootstrap } from '../../../infra/preflight/bootstrap-check.ts';
import { readContext } from '../../../infra/preflight/read-context.ts';
import { runPreflight } from '../../../infra/preflight/run-preflight.ts';
import { workers } from '../../../shared/contract/runtime/workers.ts';
import { type AccountEndpoint, denied, quotasOf, startAccountEndpoint } from '../../harness/aws/account-endpoint.ts';

let account: AccountEndpoint;
let provider: Server;
let issuer = '';
let discovery: { status: number; body: string };
const scratch = mkdtempSync(join(tmpdir(), 'preflight-'));

beforeAll(async () => {
  account = await startAccountEndpoint();
  provider = createServer((_, response) => void response.writeHead(discovery.status).end(discovery.body));
  await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done));
  issuer = `http://localhost:${(provider.address() as AddressInfo).port}`;
  Object.assign(process.env, variables());
});
afterAll(() => {
  account.close();
  provider.close();
  rmSync(scratch, { recursive: true });
});
beforeEach(() => {
  account.answers = {};
  discovery = { status: 200, body: JSON.stringify(document()) };
});

/** Nothing but loopback addresses: no profile, no metadata service. */
const variables = () => ({
  AWS_ENDPOINT_URL: account.url,
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'AKIAPREFLIGHT',
  AWS_SECRET_ACCESS_KEY: 'a-secret-key',
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_CONFIG_FILE: join(scratch, 'none'),
  AWS_SHARED_CREDENTIALS_FILE: join(scratch, 'none'),
});

const document = () => ({
  issuer,
  authorization_endpoint: `${issuer}/a`,
  token_endpoint: `${issuer}/t`,
  jwks_uri: `${issuer}/k`,
});
const settings = () => ({
  identityClientId: 'client',
  identityIssuer: issuer,
  mailFrom: 'backups@mail.example.com',
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/1',
});

const run = async (context: Record<string, unknown> = settings()): Promise<{ code: number; lines: string[] }> => {
  const lines: string[] = [];
  return {
    code: await runPreflight(context, (line) => lines.push(line), { further: { 'CDK bootstrap': checkBootstrap } }),
    lines,
  };
};

/** The one line that is not ok; everything else is. */
const onlyComplaint = async (context?: Record<string, unknown>): Promise<string> => {
  const { code, lines } = await run(context);
  const others = lines.filter((line) => !line.startsWith('ok '));
  equal(others.length, 1, lines.join('\n'));
  equal(code, others[0]?.startsWith('advice') ? 0 : 1);
  return others[0] ?? '';
};

test('preflight: a good account has one line for each check, exit code 0, and only reading calls', async () => {
  const { code, lines } = await run();
  deepEqual(
    lines.map((line) => line.split(':')[0]),
    [
      'ok      settings',
      'ok      account',
      'ok      identity issuer',
      'ok      Lambda concurrency',
      'ok      Step Functions',
      'ok      region',
      'ok      schema of the table',
      'ok      mail',
      'ok      certificate',
      'ok      CDK bootstrap',
    ],
    lines.join('\n'),
  );
  equal(code, 0);
  ok(account.calls.length >= 12);
  for (const call of account.calls) match(call, /^(Get|List|Describe)[A-Z]/);
});

// The service reserves concurrency itself, which the next deployment replaces.
test('preflight: on a rerun, the reservation of the deployment does not count as one of other functions', async () => {
  const { summary } = workers.backupCopy;
  const reservedBy = (stack: string): AccountEndpoint['answers'] => ({
    GetAccountSettings: { AccountLimit: { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 526 } },
    ListFunctions: { Functions: [{ FunctionName: 'copy', Description: summary }, { FunctionName: 'of-others' }] },
    GetFunction: { Tags: { 'aws:cloudformation:stack-name': stack }, Concurrency: { ReservedConcurrentExecutions: 474 } },
  });
  account.answers = reservedBy('backup-management-service-engine');
  const { code, lines } = await run({ ...settings(), reservedConcurrency: 474 });
  equal(code, 0, lines.join('\n'));
  account.answers = reservedBy('another-engine');
  match(await onlyComplaint(), /474 of them reserved by other functions.*"accountConcurrency": 526/);
});

const resource = (LogicalResourceId: string, ResourceType: string, PhysicalResourceId: string) => ({
  LogicalResourceId,
  ResourceType,
  PhysicalResourceId,
  ResourceStatus: 'CREATE_COMPLETE',
});
/** Beside the table of the deployment, the account has one that a removed deployment of the same name has left. */
const tables = {
  ListTables: {
    TableNames: ['backup-management-service-data-TableCD117FA1-A', 'backup-management-service-data-TableCD117FA1-X'],
  },
  ListStackResources: {
    StackResourceSummaries: [
      resource('Alarms', 'AWS::SNS::Topic', 'alarms'),
      resource('TableCD117FA1', 'AWS::DynamoDB::Table', 'backup-management-service-data-TableCD117FA1-X'),
    ],
  },
};

const complaints: readonly [string, () => { answers?: AccountEndpoint['answers']; more?: Record<string, unknown> }, RegExp][] = [
  [
    'a new account',
    () => ({
      answers: { GetAccountSettings: { AccountLimit: { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 } } },
    }),
    /^do {6}Lambda concurrency: 10 concurrent functions.*set "accountConcurrency": 10 in cdk\.json, or request more \(aws service-quotas/,
  ],
  [
    'a new account with its setting',
    () => ({
      answers: { GetAccountSettings: { AccountLimit: { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 } } },
      more: { accountConcurrency: 10 },
    }),
    /^advice {2}Lambda concurrency: 10 concurrent functions: enough to try it/,
  ],
  [
    'concurrency that other functions reserve',
    () => ({
      answers: { GetAccountSettings: { AccountLimit: { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 700 } } },
    }),
    /^do {6}Lambda concurrency: .*300 of them reserved by other functions.*"accountConcurrency": 700/,
  ],
  [
    'a table of a later release',
    () => ({ answers: { ...tables, GetItem: { Item: { version: { N: '99' }, release: { S: '9.1.0' } } } } }),
    /^do {6}schema of the table: 9\.1\.0 has written the table with schema 99, and \d.* knows schema \d+: use 9\.1\.0 or a later release; infra\/deploy\.md/,
  ],
  [
    'low quotas of Step Functions',
    () => ({ answers: { ListServiceQuotas: quotasOf({ 'StateTransition throttle token refill rate': 500 }) } }),
    /^do {6}Step Functions: 500 state transitions a second, needs 800: request more/,
  ],
  [
    'quotas that are not listed',
    () => ({ answers: { ListServiceQuotas: quotasOf({}) } }),
    /^advice {2}Step Functions: Service Quotas does not list state transitions a second, .*, open map runs/,
  ],
  [
    'an account that was never bootstrapped',
    () => ({ answers: { GetParameter: { __type: 'ParameterNotFound', message: '' } } }),
    /^do {6}CDK bootstrap: the region is not bootstrapped: npx cdk bootstrap aws:\/\/123456789012\/eu-west-1$/,
  ],
  [
    'an old bootstrap stack',
    () => ({ answers: { GetParameter: { Parameter: { Value: '5' } } } }),
    /^do {6}CDK bootstrap: version 5 is too old, 6 is required: npx cdk bootstrap/,
  ],
  [
    'the sandbox of SES',
    () => ({ answers: { GetAccount: { ProductionAccessEnabled: false, SendingEnabled: true } } }),
    /^do {6}mail: SES is in its sandbox in eu-west-1 .*request production access/,
  ],
  [
    'a sender that is not verified',
    () => ({ answers: { GetEmailIdentity: { __type: 'NotFoundException', message: '' } } }),
    /^do {6}mail: neither backups@mail\.example\.com nor mail\.example\.com is verified/,
  ],
  ['no sender', () => ({ more: { mailFrom: '' } }), /^advice {2}mail: mailFrom is not set/],
  [
    'a certificate of another region',
    () => ({ more: { certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1' } }),
    /^do {6}certificate: the certificate is in us-east-1, the API in eu-west-1: request one for api\.example\.com in eu-west-1/,
  ],
  [
    'a certificate that waits for its validation',
    () => ({ answers: { DescribeCertificate: { Certificate: { Status: 'PENDING_VALIDATION' } } } }),
    /^do {6}certificate: the certificate is PENDING_VALIDATION/,
  ],
  [
    'a certificate of another name',
    () => ({ answers: { DescribeCertificate: { Certificate: { Status: 'ISSUED', DomainName: '*.example.org' } } } }),
    /^do {6}certificate: the certificate is for \*\.example\.org, not for api\.example\.com/,
  ],
  [
    'a missing permission',
    () => ({ answers: { GetAccountSettings: denied('lambda:GetAccountSettings') } }),
    /^unknown Lambda concurrency: not permitted \(AccessDeniedException: .*lambda:GetAccountSettings\): allow this action/,
  ],
  [
    'a service that fails',
    () => ({ answers: { ListKeys: { __type: 'ValidationException', message: 'no' } } }),
    /^unknown region: KMS does not answer \(ValidationException: no\)$/,
  ],
];
for (const [name, made, line] of complaints)
  test(`preflight: ${name} is one line with what to do`, async () => {
    const { answers = {}, more = {} } = made();
    account.answers = answers;
    match(await onlyComplaint({ ...settings(), ...more }), line);
  });

test('preflight: a service that denies listing exists', async () => {
  account.answers = { ListKeys: denied('kms:ListKeys') };
  equal((await run()).code, 0);
});

test('preflight: an issuer without its discovery document, or with that of another, is one line', async () => {
  discovery = { status: 404, body: '' };
  match(
    await onlyComplaint(),
    /^do {6}identity issuer: http:\/\/localhost:\d+\/\.well-known\/openid-configuration answers 404: set identityIssuer/,
  );
  discovery = { status: 200, body: '<html>' };
  match(await onlyComplaint(), /is not JSON/);
  discovery = { status: 200, body: JSON.stringify({ ...document(), issuer: 'https://other.example.com' }) };
  match(await onlyComplaint(), /names the issuer "https:\/\/other\.example\.com", not http:\/\/localhost/);
  discovery = { status: 200, body: JSON.stringify({ ...document(), jwks_uri: undefined }) };
  match(await onlyComplaint(), /lacks jwks_uri/);
  match(
    await onlyComplaint({ ...settings(), identityIssuer: 'http://localhost:1' }),
    /^unknown identity issuer: .* does not answer \(/,
  );
});

test('preflight: invalid and missing settings are reported first', async () => {
  deepEqual(await run({ plan: 'gold', nonsense: '1' }), {
    code: 1,
    lines: [
      'do      settings: nonsense: unknown setting; infra/deploy.md lists all settings',
      'do      settings: plan: must be one of starter, professional, enterprise',
    ],
  });
  const { identityClientId: _, ...without } = settings();
  match(await onlyComplaint(without), /^do {6}settings: identityClientId: must be set/);
});

test('preflight: rejected credentials are one line, and what needs them is not checked', async () => {
  account.answers = {
    GetCallerIdentity: { __type: 'ExpiredToken', message: 'The security token included in the request is expired' },
  };
  const { code, lines } = await run();
  equal(code, 1);
  match(lines[1] ?? '', /^do {6}account: the credentials are not accepted \(ExpiredToken.*: sign in again$/);
  equal(lines.filter((line) => /^unknown .*: not checked without an account$/.test(line)).length, 7);
});

test('preflight: the command reads cdk.json and -c, and ends with the exit code', () => {
  writeFileSync(join(scratch, 'cdk.json'), JSON.stringify({ context: { ...settings(), mailFrom: 'other' } }));
  const main = fileURLToPath(new URL('../../../infra/preflight/main.ts', import.meta.url));
  const command = (words: readonly string[], env: Record<string, string>) =>
    spawnSync(process.execPath, [main, ...words], {
      cwd: scratch,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: scratch, ...env },
    });
  const { AWS_ACCESS_KEY_ID: _id, AWS_SECRET_ACCESS_KEY: _key, ...anonymous } = variables();
  // The provider and the account are in this process, which waits: so nothing answers, and nothing else is asked.
  const unsigned = command(['-c', 'mailFrom=a@example.com', '-c', 'identityIssuer=http://localhost:1'], anonymous);
  match(unsigned.stdout, /^do {6}account: no credentials: sign in \(aws sso login/m);
  deepEqual([unsigned.status, unsigned.stderr], [1, '']);
  equal(command(['--fix'], {}).status, 2);
});

test('preflight: without a region there is one line, and no call', async () => {
  const before = account.calls.length;
  delete process.env.AWS_REGION;
  const { code, lines } = await run();
  process.env.AWS_REGION = 'eu-west-1';
  deepEqual([code, account.calls.length], [1, before]);
  match(lines[1] ?? '', /^do {6}account: no region: set AWS_REGION/);
});

test('preflight: -c wins over cdk.json, and mistakes of the command are named', () => {
  const file = () => '{"context":{"plan":"starter","mailFrom":"a@example.com"}}';
  deepEqual(readContext(['-c', 'plan=enterprise', '--context', 'mailFrom='], file), { plan: 'enterprise', mailFrom: '' });
  equal(readContext(['-c', 'broken'], file), '-c: unknown option; npm run preflight -- --help');
  equal(
    readContext([], () => 'x'),
    'cdk.json: is not valid JSON',
  );
});
