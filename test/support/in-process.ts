/** Answers the SDK's calls to the table in this process: the same requests and answers, without the sockets between them. */

import { log } from '../../shared/platform/index.ts';
import { client } from '../../shared/platform/table.ts';
import { Fault, type Input, type Script } from './scripted-aws.ts';

interface Request {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

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
  const handle = async ({ headers, body }: Request) => {
    counter.calls += 1;
    const action = String(headers['x-amz-target']).split('.')[1] ?? '';
    const input = JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as Input;
    const answer = script[action]?.(input);
    if (answer === undefined || typeof answer === 'symbol') throw new Error(`the table does not know ${action}`);
    const isFault = answer instanceof Fault;
    const told = isFault ? { __type: `com.amazonaws#${answer.type}`, message: answer.type, ...answer.more } : answer;
    return {
      response: {
        statusCode: isFault ? answer.status : 200,
        headers: { 'content-type': 'application/x-amz-json-1.0' },
        body: Buffer.from(JSON.stringify(told)),
      },
    };
  };
  const { config } = client() as unknown as { config: { requestHandler: { handle: unknown } } };
  config.requestHandler = { ...config.requestHandler, handle };
  return counter;
};
