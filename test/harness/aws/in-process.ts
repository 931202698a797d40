/** Responds to table calls in this process, without sockets. */
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { log } from '../../../shared/platform/index.ts';
import { readNumber } from '../../../shared/platform/table/item-values.ts';
import { tableClient } from '../../../shared/platform/table/table-client.ts';
import { replaceWire, wireAction, wireAnswer, wireText } from './aws-wire.ts';
import { Fault, type Input, type Script } from './scripted-aws.ts';

export interface InProcess {
  /** The number of calls to the table. */
  calls: number;
}

/** Every request and response passes through the whole SDK: it is serialized, signed and retried. */
export const answerOnWire = (script: Script): InProcess => {
  log.setLogLevel('SILENT');
  Object.assign(process.env, {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'TEST',
    AWS_SECRET_ACCESS_KEY: 'TEST',
    TABLE_NAME: 'Table',
    PLAN: 'starter',
    AUDIT_RETENTION_DAYS: '',
  });
  const counter: InProcess = { calls: 0 };
  replaceWire(async (request, network) => {
    const { service, action } = wireAction(request);
    if (!service.startsWith('DynamoDB')) return network();
    counter.calls += 1;
    const answer = script[action]?.(JSON.parse(wireText(request)) as Input);
    if (answer === undefined || typeof answer === 'symbol') throw new Error(`the table does not support ${action}`);
    if (!(answer instanceof Fault)) return wireAnswer(200, answer);
    return wireAnswer(answer.status, { __type: `com.amazonaws#${answer.type}`, message: answer.type, ...answer.more });
  });
  return counter;
};

type Send = (command: { readonly input: object }, options?: object) => Promise<object>;

/**
 * For tests that make thousands of calls: successful calls bypass the SDK, which takes ten times the CPU (0.6 ms a call). A call with a
 * fault goes through the SDK, so that it is retried and reported as in production.
 */
export const answerInProcess = (script: Script): InProcess => {
  const faults: unknown[] = [];
  const counter = answerOnWire(
    new Proxy(script, {
      get: (actions, action: string) => (input: Input) => faults.shift() ?? actions[action]?.(input),
    }),
  );
  const client = tableClient() as unknown as { send: Send };
  const sendBySdk: Send = Object.getPrototypeOf(client).send.bind(client);
  client.send = async (command, options) => {
    const action = actionOf(command);
    const answer = script[action]?.(marshalled(command.input) as Input);
    if (typeof answer === 'object' && !(answer instanceof Fault)) {
      counter.calls += 1;
      return unmarshalled(answer);
    }
    faults.push(answer);
    return sendBySdk(command, options);
  };
  return counter;
};

/** `BatchGetCommand` of the document client is `BatchGetItem` of DynamoDB. */
const actionOf = (command: object): string => {
  const name = command.constructor.name.replace(/Command$/, '');
  return name === 'Query' ? name : name === 'TransactWrite' ? 'TransactWriteItems' : `${name}Item`;
};

type Members = Readonly<Record<string, unknown>>;

/** Members that hold items, keys or values, on any level of a request or a response. */
const itemMembers = new Set(['Item', 'Key', 'ExpressionAttributeValues', 'ExclusiveStartKey', 'Attributes', 'LastEvaluatedKey']);
const listMembers = new Set(['Keys', 'Items']);

const mapped = (value: unknown, convert: (item: Members) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((entry) => mapped(entry, convert));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (itemMembers.has(name) && member) return [name, convert(member as Members)];
      if (listMembers.has(name) && Array.isArray(member)) return [name, member.map((item) => convert(item as Members))];
      if (name === 'Responses')
        return [name, Object.fromEntries(Object.entries(member as object).map(([table, items]) => [table, items.map(convert)]))];
      return [name, mapped(member, convert)];
    }),
  );
};

/** As JSON, because binary values are sent as base64 text. */
const marshalled = (input: object): unknown => mapped(input, (item) => textual(marshall(item, { removeUndefinedValues: true })));

const unmarshalled = (answer: object): object =>
  mapped(answer, (item) => unmarshall(binary(item) as never, { wrapNumbers: readNumber })) as object;

const textual = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(textual);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, textual(member)]));
};

/** An attribute value is an object with one member, named after its type. */
const binary = (attributes: Members): Members =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, binaryValue(value as Members)]));

const binaryValue = (value: Members): Members => {
  if ('B' in value) return { B: Uint8Array.from(Buffer.from(String(value.B), 'base64')) };
  if ('M' in value) return { M: binary(value.M as Members) };
  if ('L' in value) return { L: (value.L as readonly Members[]).map(binaryValue) };
  return value;
};
