/** Resources that a function of the template creates, changes and deletes. */
import { randomUUID } from 'node:crypto';
import type { ResourceState } from './stack-state.ts';

/** What CloudFormation sends to the function of a custom resource. */
export interface CustomResourceCall {
  readonly RequestType: 'Create' | 'Update' | 'Delete';
  readonly ServiceToken: string;
  readonly StackId: string;
  readonly RequestId: string;
  readonly LogicalResourceId: string;
  readonly PhysicalResourceId?: string;
  readonly ResourceType: string;
  readonly ResourceProperties: Readonly<Record<string, unknown>>;
}

/** Calls the function. Returns why it refuses; undefined if it succeeds. */
export type CustomResources = (call: CustomResourceCall) => Promise<string | undefined>;

type CustomResource = Pick<ResourceState, 'logicalId' | 'physicalId' | 'type' | 'properties'>;

interface Requested extends CustomResource {
  readonly stackId: string;
  readonly requestType: CustomResourceCall['RequestType'];
}

export const isCustom = ({ type }: CustomResource): boolean =>
  type.startsWith('Custom::') || type === 'AWS::CloudFormation::CustomResource';

/** Rejects with the reason if the function refuses. */
export const callCustomResource = async (
  call: CustomResources,
  { logicalId, physicalId, type, properties, stackId, requestType }: Requested,
): Promise<void> => {
  const reason = await call({
    RequestType: requestType,
    ServiceToken: String(properties.ServiceToken),
    StackId: stackId,
    RequestId: randomUUID(),
    LogicalResourceId: logicalId,
    ...(requestType !== 'Create' && { PhysicalResourceId: physicalId }),
    ResourceType: type,
    ResourceProperties: properties,
  });
  if (reason !== undefined)
    throw new Error(`Received response status [FAILED] from custom resource. Message returned: ${reason}`);
};
