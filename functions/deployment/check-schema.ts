/** CloudFormation calls it at a deployment, before it changes any other function: a release never goes back behind the table's schema. */
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { version } from '../../shared/contract/version.ts';
import { fetchTrusted, lambdaHandler, log, refuseSchema } from '../../shared/platform/index.ts';

export const handler = lambdaHandler(async (event: CloudFormationCustomResourceEvent): Promise<void> => {
  const reason = event.RequestType === 'Delete' ? undefined : await refusalOf(Number(event.ResourceProperties.SchemaVersion));
  if (reason !== undefined) log.warn('deployment refused', { reason });
  const { StackId, RequestId, LogicalResourceId } = event;
  const answer = {
    Status: reason === undefined ? 'SUCCESS' : 'FAILED',
    ...(reason !== undefined && { Reason: reason }),
    PhysicalResourceId: 'PhysicalResourceId' in event ? event.PhysicalResourceId : LogicalResourceId,
    StackId,
    RequestId,
    LogicalResourceId,
  };
  // The address is signed for a request without a content type: a text would get one.
  const response = await fetchTrusted(event.ResponseURL, { method: 'PUT', body: Buffer.from(JSON.stringify(answer)) });
  if (!response.ok) throw new Error(`CloudFormation's address answers ${response.status}`);
});

/** Without an answer CloudFormation would wait: what cannot be read is a refusal, too. */
const refusalOf = (released: number): Promise<string | undefined> =>
  refuseSchema({ release: version, version: released }).catch((error: Error) => {
    log.error('the schema of the table cannot be read', error);
    return `the schema of the table cannot be read (${error.name}); deploy again`;
  });
