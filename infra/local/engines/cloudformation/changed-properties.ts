import { isDeepStrictEqual as equal } from 'node:util';
import { namePropertyOf } from '../../cloudformation/physical-names.ts';
import type { ResourceState } from './stack-state.ts';

/** Properties that CloudFormation cannot change in place, beside the names (AWS's reference of resource types). */
const replacing: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApiGatewayV2::Api': ['ProtocolType'],
  'AWS::ApiGatewayV2::Integration': ['ApiId'],
  'AWS::ApiGatewayV2::Route': ['ApiId'],
  'AWS::DynamoDB::Table': ['KeySchema', 'LocalSecondaryIndexes', 'ImportSourceSpecification'],
  'AWS::KMS::Key': ['KeySpec', 'KeyUsage', 'MultiRegion', 'Origin'],
  'AWS::Lambda::EventSourceMapping': ['EventSourceArn'],
  'AWS::SQS::Queue': ['FifoQueue'],
  'AWS::SNS::Subscription': ['Endpoint', 'Protocol', 'TopicArn'],
  'AWS::StepFunctions::StateMachine': ['StateMachineType'],
};

type Properties = ResourceState['properties'];

/** The names of the properties that differ. */
export const changedProperties = (before: Properties, after: Properties): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !equal(before[name], after[name]));

/** Whether a change of this property makes a new resource and deletes the old one. */
export const isReplacing = (type: string, property: string): boolean => replacingProperties(type).includes(property);

/** The properties whose change replaces a resource of the type. */
export const replacingProperties = (type: string): readonly string[] => {
  const name = namePropertyOf(type);
  return [...(name === undefined ? [] : [name]), ...(replacing[type] ?? [])];
};
