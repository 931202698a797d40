/** Answers calls to the table in this process: the same requests and answers, without the sockets between them. */
import { wire } from '../../shared/platform/aws-call.ts';
import { type Exchange, log } from '../../shared/platform/index.ts';
import { Fault, type Input, type Script } from './scripted-aws.ts';

export interface InProcess {
  /** How often the table was asked. */
  calls: number;
}

export const answerInProcess = (script: Script): InProcess => {
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
  const { exchange } = wire;
  wire.exchange = async (asked: Exchange) => {
    const [service = '', action = ''] = String(asked.headers['x-amz-target']).split('.');
    if (!service.startsWith('DynamoDB')) return exchange(asked);
    counter.calls += 1;
    const input = JSON.parse(String(asked.body)) as Input;
    const answer = script[action]?.(input);
    if (answer === undefined || typeof answer === 'symbol') throw new Error(`the table does not know ${action}`);
    const isFault = answer instanceof Fault;
    const told = isFault ? { __type: `com.amazonaws#${answer.type}`, message: answer.type, ...answer.more } : answer;
    return { status: isFault ? answer.status : 200, headers: {}, body: Buffer.from(JSON.stringify(told)) };
  };
  return counter;
};
