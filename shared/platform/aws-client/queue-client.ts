import { SQSClient } from '@aws-sdk/client-sqs';
import { warm } from '../warm.ts';
import { sdkConfig } from './sdk-config.ts';

/** Uses the endpoint that the SDK resolves instead of the queue URL's host, which ignores FIPS and dual-stack settings. */
export const queueClientConfig = { ...sdkConfig, useQueueUrlAsEndpoint: false } as const;

export const queueClient = warm(() => new SQSClient(queueClientConfig));
