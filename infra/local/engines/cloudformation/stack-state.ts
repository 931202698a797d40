/** What the engine knows of a stack. */
import type { Template } from '../../cloudformation/read-template.ts';

/** A template with the values of its parameters. */
export interface Target {
  readonly template: Template;
  readonly templateText: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface ResourceState {
  readonly logicalId: string;
  readonly type: string;
  readonly physicalId: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /** The name that the template chose: another resource cannot have it. */
  readonly chosenName?: string | undefined;
  readonly isRetained: boolean;
  readonly status: string;
  readonly statusReason?: string | undefined;
  readonly updatedAt: Date;
}

export interface StackEvent {
  readonly EventId: string;
  readonly StackId: string;
  readonly StackName: string;
  readonly LogicalResourceId: string;
  readonly PhysicalResourceId: string;
  readonly ResourceType: string;
  readonly ResourceStatus: string;
  readonly ResourceStatusReason?: string | undefined;
  readonly Timestamp: Date;
}

export interface StackOutput {
  readonly value: string;
  readonly description?: string | undefined;
  readonly exportName?: string | undefined;
}

export interface StackState {
  readonly id: string;
  readonly name: string;
  readonly parentId?: string | undefined;
  readonly rootId?: string | undefined;
  readonly createdAt: Date;
  updatedAt?: Date;
  status: string;
  statusReason?: string | undefined;
  isProtected: boolean;
  target: Target;
  readonly resources: Map<string, ResourceState>;
  outputs: Readonly<Record<string, StackOutput>>;
  /** Names of exports that it imports. */
  imports: ReadonlySet<string>;
  /** The oldest first. */
  readonly events: StackEvent[];
}

export interface Change {
  readonly Action: 'Add' | 'Modify' | 'Remove';
  readonly LogicalResourceId: string;
  readonly PhysicalResourceId?: string | undefined;
  readonly ResourceType: string;
  readonly Replacement?: 'True' | 'False' | undefined;
  readonly PolicyAction?: 'Retain' | 'Delete' | undefined;
  readonly ChangeSetId?: string | undefined;
  readonly Details?: readonly object[] | undefined;
}

export interface ChangeSet {
  readonly id: string;
  readonly name: string;
  readonly stackId: string;
  readonly target: Target;
  readonly changes: readonly Change[];
  readonly parentId?: string | undefined;
  executionStatus: 'AVAILABLE' | 'UNAVAILABLE' | 'EXECUTE_COMPLETE';
}

export const stackType = 'AWS::CloudFormation::Stack';
