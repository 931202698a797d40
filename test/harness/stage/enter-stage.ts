import { ok } from 'node:assert/strict';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { stageVariable } from './client.ts';

/** Before a function of the clock is called: the environment of one on the stage's table, and its queues by their ids in the template. */
export const enterStage = async (queues: Readonly<Record<string, string>>): Promise<void> => {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: stageVariable('STAGE_AWS_URL'),
    AWS_ACCESS_KEY_ID: stageVariable('STAGE_AWS_KEY'),
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_REGION: stageVariable('STAGE_REGION'),
    TABLE_NAME: stageVariable('STAGE_TABLE'),
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  });
  const { QueueUrls = [] } = await new SQSClient({}).send(new ListQueuesCommand({}));
  for (const [variable, name] of Object.entries(queues)) {
    const url = QueueUrls.find((each) => new RegExp(`${name}[0-9A-F]{8}$`).test(each));
    ok(url, QueueUrls.join());
    process.env[variable] = url;
  }
};
