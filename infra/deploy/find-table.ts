import { type CloudFormation, CloudFormationError, textAt } from './cloudformation-client.ts';
import type { XmlObject } from './parse-xml.ts';

/** The name of the table of a deployment: in the data stack of the CDK, or in the nested one of the template. Undefined: not deployed. */
export const findTable = async (client: CloudFormation, deployment: string): Promise<string | undefined> => {
  const ofTemplate = (await resourcesOf(client, deployment)).find((one) => textAt(one, 'LogicalResourceId') === 'Data');
  const stack = ofTemplate ? textAt(ofTemplate, 'PhysicalResourceId') : `${deployment}-data`;
  const table = (await resourcesOf(client, stack)).find(
    (one) => textAt(one, 'ResourceType') === 'AWS::DynamoDB::Table' && textAt(one, 'ResourceStatus') !== 'DELETE_COMPLETE',
  );
  return table && (textAt(table, 'PhysicalResourceId') || undefined);
};

const resourcesOf = (client: CloudFormation, StackName: string): Promise<readonly XmlObject[]> =>
  client.listAll('ListStackResources', { StackName }, 'StackResourceSummaries').catch((error: unknown) => {
    if (error instanceof CloudFormationError && /does not exist/.test(error.message)) return [];
    throw error;
  });
