/** Answers calls to the table in this process: the same requests and responses, without sockets. */
import { log } from '../../shared/platform/index.ts';
import { replaceWire, wireAction, wireAnswer, wireText } from './aws-wire.ts';
import { Fault, type Input, type Script } from './scripted-aws.ts';

export interface InProcess {
  /** The number of calls to the table. */
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
