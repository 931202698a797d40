/** Every AWS service that functions call, with the host of its requests. Nothing is sent. */
import * as platform from '../../../shared/platform/index.ts';
import { replaceWire } from './aws-wire.ts';

export const hostsCalled = async (): Promise<readonly string[]> => {
  platform.log.setLogLevel('SILENT');
  for (const name of ['AWS_ENDPOINT_URL', 'AWS_SESSION_TOKEN']) delete process.env[name];
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'TEST',
    AWS_SECRET_ACCESS_KEY: 'TEST',
    AWS_CONFIG_FILE: '/dev/null',
    TABLE_NAME: 'Table',
    TASK_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/1/Tasks',
    DATA_KEY_ID: 'key',
    SERVICE_SECRET_ID: 'secret',
    MAIL_FROM: 'a@example.com',
    BACKUP_WORKFLOW_ARN: 'arn:aws:states:us-east-1:1:stateMachine:b',
    SCHEDULE_GROUP_NAME: 'group',
  });
  const hosts = new Set<string>();
  const restore = replaceWire(async ({ hostname }) => {
    hosts.add(hostname);
    throw new Error('the test answers nothing');
  });
  for (const call of [
    () => platform.get({ pk: 'A', sk: 'B' }),
    () => platform.makeDataKey({}),
    () => platform.sendMessages('TASK_QUEUE_URL', [{ body: 'x', sender: 'y' }]),
    () => platform.describeExecution('BACKUP_WORKFLOW_ARN', 'x'),
    () => platform.removeEntry('x'),
    () => platform.secretValue('SERVICE_SECRET_ID'),
    () => platform.sendMail('b@example.com', { subject: '', text: '', html: '' }),
    () => platform.assumeRole({ roleArn: 'arn:aws:iam::123456789012:role/r', sessionName: 'session' }),
    () => platform.healthCheck(platform.isSchemaKnown),
  ])
    await call().catch(() => undefined);
  restore();
  return [...hosts].sort();
};
