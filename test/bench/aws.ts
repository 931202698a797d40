/** AWS in this process, for measurements: a table in memory, a signing key, a secret, and an account of what was asked. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Input, Script } from '../harness/aws/scripted-aws.ts';
import { publicKeyText, signText, tokenIssuer } from '../harness/aws/signing-key.ts';
import { InMemoryTable } from '../harness/table/in-memory-table.ts';
import type { Answering } from './network.ts';

export const table = new InMemoryTable();

/** What a counter of requests stands at: the first of a minute also notes who was seen. */
export const counter = { standsAt: 1 };

const script: Script = {
  ...table.script,
  UpdateItem: (input) =>
    String(input.UpdateExpression).includes('ADD') ? { Attributes: { count: { N: String(counter.standsAt) } } } : {},
  GetPublicKey: () => ({ PublicKey: publicKeyText }),
  Sign: ({ Message }) => ({ Signature: signText(Buffer.from(String(Message), 'base64')) }),
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

/** What AWS answers to a call of the JSON protocol; undefined for an action that no measured call needs. */
export const answerAws = (action: string, input: Input): object | undefined => script[action]?.(input) as object | undefined;

/** What all grants together would set. */
export const variables = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'BENCH',
  AWS_SECRET_ACCESS_KEY: 'BENCH',
  TABLE_NAME: 'Table',
  TASK_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/1/Tasks',
  REQUESTS_PER_MINUTE: '100000000',
  PLAN: 'starter',
  AUDIT_RETENTION_DAYS: '',
  TOKEN_KEY_IDS: 'key',
  DATA_KEY_ID: 'key',
  PUBLIC_URL: tokenIssuer,
  ALLOWED_ORIGINS: '',
  SERVICE_SECRET_ID: 'secret',
  SERVICE_VERSION: '0',
  POWERTOOLS_LOG_LEVEL: 'SILENT',
};

/** Opens the door for the bundles. */
export const open = (): void => {
  Object.assign(globalThis, { benchAws: answer });
  Object.assign(process.env, variables);
};

/** Begins a new account, and gives the one so far. */
export const settleAccount = (): Account => {
  const settled = account;
  account = { calls: [], roundTrips: 0 };
  return settled;
};
