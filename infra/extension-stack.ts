/**
 * Further routes: CloudFormation allows 500 resources in a stack, and the API stack is full. New groups of endpoints belong here. A
 * group that is deployed does not move to another stack, because its routes would be missing in between.
 */
import type { Construct } from 'constructs';
import { RouteStack, type RouteStackProps } from './route-stack.ts';

const extensionFiles = ['alerts', 'console', 'device', 'erasures', 'evidence', 'overview', 'restore-tests', 'sessions'];

/** Whether the endpoints of a handler file are in this stack. */
export const isExtension = (file: string): boolean => extensionFiles.includes(file);

export class ExtensionStack extends RouteStack {
  constructor(scope: Construct, id: string, props: RouteStackProps) {
    super(scope, id, props, { hasFile: isExtension, countedLines: ['keyRefused', 'secretsKeyRefused'] });
  }
}
