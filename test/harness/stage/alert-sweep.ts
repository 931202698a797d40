import { ok } from 'node:assert/strict';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { stageVariable } from './client.ts';

/** Runs the sweep of every ten minutes now: the function itself, on the stage's table and queue. */
export const sweepAlerts = async (): Promise<void> => {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: stageVariable('STAGE_AWS_URL'),
    AWS_ACCESS_KEY_ID: stageVariable('STAGE_AWS_KEY'),
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_REGION: stageVariable('STAGE_REGION'),
    TABLE_NAME: stageVariable('STAGE_TABLE'),
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  });
  const { QueueUrls = [] } = await new SQSClient({}).send(new ListQueuesCommand({}));
  const url = QueueUrls.find((each) => /Incidents(?!DeadLetters)/.test(each));
  ok(url, QueueUrls.join());
  process.env.INCIDENT_QUEUE_URL = url;
  const { handler } = await import('../../../functions/alert/sweep.ts');
  await handler();
};
