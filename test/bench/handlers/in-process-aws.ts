/** AWS in this process: a table in memory, a signing key and a secret. Records the calls of the table. */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Input, Script } from '../../harness/aws/scripted-aws.ts';
import { publicKeyText, signText, tokenIssuer } from '../../harness/aws/signing-key.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';
import type { AnswerRequest } from './without-network.ts';

export const table = new InMemoryTable();

/** The current value of the request counters. The first request of a minute (1) also updates `lastSeenAt`. */
export const counter = { value: 1 };

const script: Script = {
  ...table.script,
  UpdateItem: (input) =>
    String(input.UpdateExpression).includes('ADD') ? { Attributes: { count: { N: String(counter.value) } } } : {},
  GetPublicKey: () => ({ PublicKey: publicKeyText }),
  Sign: ({ Message }) => ({ Signature: signText(Buffer.from(String(Message), 'base64')) }),
  GetSecretValue: () => ({ SecretString: 's'.repeat(64) }),
  DescribeTable: () => ({ Table: { TableStatus: 'ACTIVE', LatestStreamArn: 'arn' } }),
  GetQueueAttributes: () => ({ Attributes: { QueueArn: 'arn' } }),
};
const ofTable = new Set(Object.keys(table.script));

/** Calls of the table. Concurrent calls count as one round trip. */
export interface TableCalls {
  calls: { action: string; input: Input }[];
  roundTrips: number;
}
let account: TableCalls = { calls: [], roundTrips: 0 };
let underWay = 0;

const answer: AnswerRequest = async ({ headers, body }) => {
  const action = String(headers['x-amz-target']).split('.')[1] ?? '';
  const input = JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as Input;
  const isTable = ofTable.has(action);
  if (isTable) {
    account.calls.push({ action, input });
    if (underWay++ === 0) account.roundTrips += 1;
  }
  await nextTick();
  if (isTable) underWay -= 1;
  return script[action]?.(input) as object;
};

/** The response of AWS to a call of the JSON protocol; undefined for an action that no measured call needs. */
export const answerAws = (action: string, input: Input): object | undefined => script[action]?.(input) as object | undefined;

/** Environment variables of the functions that are measured. */
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
  CONSOLE_URL: `${tokenIssuer}/console`,
  GOOGLE_ROLE_ARN: 'arn:aws:iam::1:role/Google',
  ALLOWED_ORIGINS: '',
  SERVICE_SECRET_ID: 'secret',
  SERVICE_VERSION: '0',
  POWERTOOLS_LOG_LEVEL: 'SILENT',
};

/** Lets the bundles reach this AWS. */
export const installAws = (): void => {
  Object.assign(globalThis, { benchAws: answer });
  Object.assign(process.env, variables);
};

/** Returns the calls recorded so far and starts a new record. */
export const takeTableCalls = (): TableCalls => {
  const taken = account;
  account = { calls: [], roundTrips: 0 };
  return taken;
};
