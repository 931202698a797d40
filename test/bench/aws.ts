/** AWS in this process, for measurements: a table in memory, a signing key, a secret, and an account of what was asked. */
import { createHash, createSign, generateKeyPairSync } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { MemoryTable } from '../support/memory-table.ts';
import type { Input, Script } from '../support/scripted-aws.ts';
import type { Answering } from './network.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });

export const table = new MemoryTable();

/** What a counter of requests stands at: the first of a minute also notes who was seen. */
export const counter = { standsAt: 1 };

const script: Script = {
  ...table.script,
  UpdateItem: (input) =>
    String(input.UpdateExpression).includes('ADD') ? { Attributes: { count: { N: String(counter.standsAt) } } } : {},
  GetPublicKey: () => ({ PublicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64') }),
  Sign: ({ Message }) => ({
    Signature: createSign('sha256')
      .update(Buffer.from(String(Message), 'base64'))
      .sign(privateKey, 'base64'),
  }),
  GetSecretValue: () => ({ SecretString: 's'.repeat(64) }),
  DescribeTable: () => ({ Table: { TableStatus: 'ACTIVE', LatestStreamArn: 'arn' } }),
  GetQueueAttributes: () => ({ Attributes: { QueueArn: 'arn' } }),
};
const ofTable = new Set(Object.keys(table.script));

/** What a call asked of the table. Calls under way at the same time are one round trip. */
export interface Account {
  calls: { action: string; input: Input }[];
  roundTrips: number;
}
let account: Account = { calls: [], roundTrips: 0 };
let underWay = 0;

const answer: Answering = async ({ headers, body }) => {
  const action = String(headers['x-amz-target']).split('.')[1] ?? '';
  const input = JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as Input;
  const isTable = ofTable.has(action);
  if (isTable) {
    account.calls.push({ action, input });
    if (underWay++ === 0) account.roundTrips += 1;
  }
  await turn();
  if (isTable) underWay -= 1;
  return script[action]?.(input) as object;
};

/** Opens the door for the bundles, with the variables all grants together would set. */
export const open = (): void => {
  Object.assign(globalThis, { benchAws: answer });
  Object.assign(process.env, {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'BENCH',
    AWS_SECRET_ACCESS_KEY: 'BENCH',
    TABLE_NAME: 'Table',
    TASK_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/1/Tasks',
    REQUESTS_PER_MINUTE: '100000000',
    PLAN: 'starter',
    AUDIT_RETENTION_DAYS: '',
    TOKEN_KEY_IDS: 'key',
    PUBLIC_URL: 'https://api.example.com',
    ALLOWED_ORIGINS: '',
    SERVICE_SECRET_ID: 'secret',
    SERVICE_VERSION: '0',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  });
};

/** Begins a new account, and gives the one so far. */
export const settleAccount = (): Account => {
  const settled = account;
  account = { calls: [], roundTrips: 0 };
  return settled;
};

/** An access token the bundles take for theirs. */
export const tokenFor = (userId: string, sessionId: string, nowSeconds: number): string => {
  const { n, e } = publicKey.export({ format: 'jwk' });
  const kid = createHash('sha256')
    .update(JSON.stringify({ e, kty: 'RSA', n }))
    .digest('base64url');
  const claims = {
    ...{ sub: userId, sid: sessionId, email: 'ada@example.com', name: 'Ada', organizations: [], jti: 'x' },
    ...{ iat: nowSeconds, exp: nowSeconds + 3_600, iss: 'https://api.example.com', aud: 'backup-management-service' },
  };
  const text = [{ alg: 'RS256', typ: 'at+jwt', kid }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${createSign('sha256').update(text).sign(privateKey, 'base64url')}`;
};
