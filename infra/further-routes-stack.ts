/**
 * Further routes: CloudFormation allows 500 resources in a stack, and the API stack is full. New groups of endpoints belong here. A
 * group that is deployed does not move to another stack, because its routes would be missing in between. For the
 * same reason the deployed stack keeps its first name, `extension`.
 */
import type { Construct } from 'constructs';
import { RouteStack, type RouteStackProps } from './route-stack.ts';

const furtherFiles = [
  'alerts',
  'api-keys',
  'console',
  'device',
  'documents',
  'erasures',
  'evidence',
  'exports',
  'incidents',
  'overview',
  'reports',
  'restore-tests',
  'sessions',
  'storage-usage',
];

/** Whether the endpoints of a handler file are in this stack. */
export const isFurtherRoute = (file: string): boolean => furtherFiles.includes(file);

export class FurtherRoutesStack extends RouteStack {
  constructor(scope: Construct, id: string, props: RouteStackProps) {
    super(scope, id, { ...props, hasFile: isFurtherRoute, countedLines: ['keyRefused', 'secretsKeyRefused'] });
  }
}
