/**
 * CloudFormation: stacks with nested ones, change sets, events. Resources get physical ids and attributes, and what AWS would refuse is refused,
 * but nothing runs, except functions of custom resources: the stage itself boots from the template that it synthesizes.
 */
import { randomUUID } from 'node:crypto';
import { AwsError, type Engine, type Json, makeEngine, text } from '../../base/aws-service.ts';
import { planChanges } from './plan-changes.ts';
import { invalid, parseTemplate } from './read-target.ts';
import { makeStackRunner, type RunnerOptions } from './stack-runner.ts';
import type { Change, ChangeSet, StackState, Target } from './stack-state.ts';

const pageSize = 100;
const isBusy = ({ status }: StackState): boolean => status.endsWith('_IN_PROGRESS');

export const openCloudFormation = (options: RunnerOptions): Engine => {
  const { location } = options;
  const runner = makeStackRunner(options);
  const changeSets = new Map<string, ChangeSet>();

  const existing = (nameOrId: string): StackState => {
    const stack = runner.find(nameOrId);
    if (!stack) throw invalid(`Stack with id ${nameOrId} does not exist`);
    return stack;
  };
  const changeable = (nameOrId: string): StackState => {
    const stack = existing(nameOrId);
    if (stack.parentId !== undefined) throw invalid(`Nested stack ${stack.id} cannot be changed on its own; change its root`);
    if (isBusy(stack)) throw invalid(`Stack:${stack.id} is in ${stack.status} state and can not be updated.`);
    if (stack.status === 'ROLLBACK_COMPLETE')
      throw invalid(`Stack:${stack.id} is in ROLLBACK_COMPLETE state and can not be updated.`);
    return stack;
  };

  const targetOf = async (input: Json, before?: Target): Promise<Target> => {
    const templateText =
      typeof input.TemplateBody === 'string'
        ? input.TemplateBody
        : typeof input.TemplateURL === 'string'
          ? await runner.readTemplateUrl(input.TemplateURL)
          : input.UsePreviousTemplate === 'true' && before
            ? before.templateText
            : undefined;
    if (templateText === undefined) throw invalid('Either Template URL or Template Body must be specified.');
    const given = (input.Parameters ?? []) as readonly Readonly<Record<string, string>>[];
    const parameters = Object.fromEntries(
      given.map(({ ParameterKey = '', ParameterValue = '', UsePreviousValue }) => [
        ParameterKey,
        UsePreviousValue === 'true' ? (before?.parameters[ParameterKey] ?? '') : ParameterValue,
      ]),
    );
    return { template: parseTemplate(templateText), templateText, parameters };
  };

  /** Templates that make roles need the caller's word for it. */
  const refuseUnacknowledged = (input: Json, { templateText }: Target): void => {
    const given = (input.Capabilities ?? []) as readonly string[];
    const needed = templateText.includes('AWS::CloudFormation::Stack') || templateText.includes('"RoleName"');
    if (needed && !given.includes('CAPABILITY_NAMED_IAM'))
      throw new AwsError('InsufficientCapabilitiesException', 'Requires capabilities : [CAPABILITY_NAMED_IAM]');
  };

  const create = async (input: Json): Promise<Json> => {
    const name = stackName(input);
    if (runner.find(name)) throw new AwsError('AlreadyExistsException', `Stack [${name}] already exists`);
    const target = await targetOf(input);
    refuseUnacknowledged(input, target);
    runner.read(name, target);
    const stack = runner.add({ name, target });
    stack.isProtected = input.EnableTerminationProtection === 'true';
    void runner.apply(stack, target, 'CREATE');
    return { StackId: stack.id };
  };

  const update = async (input: Json): Promise<Json> => {
    const stack = changeable(text(input, 'StackName'));
    const target = await targetOf(input, stack.target);
    refuseUnacknowledged(input, target);
    if ((await plan(stack, target)).length === 0) throw invalid('No updates are to be performed.');
    void runner.apply(stack, target, 'UPDATE');
    return { StackId: stack.id };
  };

  const destroy = (input: Json): Json => {
    const stack = runner.find(text(input, 'StackName'));
    // To delete a stack that does not exist succeeds.
    if (!stack) return {};
    if (stack.isProtected) throw invalid(`Stack [${stack.name}] cannot be deleted while TerminationProtection is enabled`);
    if (isBusy(stack) && stack.status !== 'REVIEW_IN_PROGRESS')
      throw invalid(`Stack:${stack.id} is in ${stack.status} state and can not be deleted.`);
    void runner.destroy(stack);
    return {};
  };

  const plan = (stack: StackState, target: Target, nested = storeNested(undefined)): Promise<readonly Change[]> =>
    planChanges(stack, target, { runner, nested });

  const storeNested =
    (parentId: string | undefined) => (child: StackState | undefined, target: Target, changes: readonly Change[]) =>
      store({ name: `nested-${randomUUID()}`, stackId: child?.id ?? '', target, changes, parentId });

  const store = (given: Omit<ChangeSet, 'id' | 'executionStatus'>): ChangeSet => {
    const id = `arn:aws:cloudformation:${location.region}:${location.account}:changeSet/${given.name}/${randomUUID()}`;
    const set: ChangeSet = { ...given, id, executionStatus: given.changes.length > 0 ? 'AVAILABLE' : 'UNAVAILABLE' };
    changeSets.set(id, set);
    return set;
  };

  const createChangeSet = async (input: Json): Promise<Json> => {
    const name = stackName(input);
    const isNew = input.ChangeSetType === 'CREATE';
    const known = runner.find(name);
    if (isNew && known && known.status !== 'REVIEW_IN_PROGRESS')
      throw invalid(`Stack [${name}] already exists and cannot be created again with the changeSet`);
    const stack = isNew ? known : changeable(name);
    const target = await targetOf(input, stack?.target);
    refuseUnacknowledged(input, target);
    const planned = stack ?? runner.add({ name, target });
    const changes = await plan(planned, target);
    const set = store({ name: text(input, 'ChangeSetName'), stackId: planned.id, target, changes });
    return { Id: set.id, StackId: planned.id };
  };

  const changeSetOf = (input: Json): ChangeSet => {
    const name = text(input, 'ChangeSetName');
    const stack = typeof input.StackName === 'string' ? runner.find(input.StackName) : undefined;
    const set =
      changeSets.get(name) ?? [...changeSets.values()].findLast((each) => each.name === name && each.stackId === stack?.id);
    if (!set) throw new AwsError('ChangeSetNotFound', `ChangeSet [${name}] does not exist`, 404);
    return set;
  };

  const describeChangeSet = (input: Json): Json => {
    const { id, name, stackId, changes, executionStatus, parentId } = changeSetOf(input);
    const { page, next } = paged(changes, input);
    const isEmpty = changes.length === 0;
    return {
      ChangeSetName: name,
      ChangeSetId: id,
      StackId: stackId,
      ParentChangeSetId: parentId,
      Status: isEmpty ? 'FAILED' : 'CREATE_COMPLETE',
      StatusReason: isEmpty
        ? "The submitted information didn't contain changes. Submit different information to create a change set."
        : undefined,
      ExecutionStatus: executionStatus,
      Changes: page.map((ResourceChange) => ({ Type: 'Resource', ResourceChange })),
      NextToken: next,
    };
  };

  const executeChangeSet = (input: Json): Json => {
    const set = changeSetOf(input);
    if (set.executionStatus !== 'AVAILABLE')
      throw new AwsError(
        'InvalidChangeSetStatus',
        `ChangeSet [${set.id}] cannot be executed in its current execution status of [${set.executionStatus}]`,
      );
    const stack = existing(set.stackId);
    set.executionStatus = 'EXECUTE_COMPLETE';
    void runner.apply(stack, set.target, stack.status === 'REVIEW_IN_PROGRESS' ? 'CREATE' : 'UPDATE');
    return {};
  };

  const deleteChangeSet = (input: Json): Json => {
    changeSets.delete(changeSetOf(input).id);
    return {};
  };

  const describe = (input: Json): Json => {
    const stacks = typeof input.StackName === 'string' ? [existing(input.StackName)] : runner.live();
    return { Stacks: stacks.map(describeStack) };
  };

  const describeEvents = (input: Json): Json => {
    const { page, next } = paged(existing(text(input, 'StackName')).events.toReversed(), input);
    return { StackEvents: page, NextToken: next };
  };

  const listResources = (input: Json): Json => {
    const { page, next } = paged([...existing(text(input, 'StackName')).resources.values()], input);
    return {
      StackResourceSummaries: page.map(({ logicalId, physicalId, type, status, statusReason, updatedAt }) => ({
        LogicalResourceId: logicalId,
        PhysicalResourceId: physicalId,
        ResourceType: type,
        ResourceStatus: status,
        ResourceStatusReason: statusReason,
        LastUpdatedTimestamp: updatedAt,
      })),
      NextToken: next,
    };
  };

  const summarize = async (input: Json): Promise<Json> => {
    const { template } =
      typeof input.StackName === 'string' ? existing(input.StackName).target : await targetOf({ ...input, Parameters: [] });
    return {
      Description: template.Description,
      Capabilities: ['CAPABILITY_NAMED_IAM'],
      ResourceTypes: [...new Set(Object.values(template.Resources).map(({ Type }) => Type))],
      Parameters: Object.entries(template.Parameters ?? {}).map(([ParameterKey, { Default, Description, Type }]) => ({
        ParameterKey,
        DefaultValue: Default,
        Description,
        ParameterType: Type,
      })),
    };
  };

  return makeEngine(
    {
      CreateStack: create,
      UpdateStack: update,
      DeleteStack: destroy,
      DescribeStacks: describe,
      DescribeStackEvents: describeEvents,
      ListStackResources: listResources,
      ListExports: () => ({
        Exports: [...runner.exportsOf()].map(([Name, { value, stack }]) => ({ Name, Value: value, ExportingStackId: stack.id })),
      }),
      GetTemplate: (input) => ({
        TemplateBody: existing(text(input, 'StackName')).target.templateText,
        StagesAvailable: ['Original', 'Processed'],
      }),
      GetTemplateSummary: summarize,
      ValidateTemplate: summarize,
      CreateChangeSet: createChangeSet,
      DescribeChangeSet: describeChangeSet,
      ExecuteChangeSet: executeChangeSet,
      DeleteChangeSet: deleteChangeSet,
      UpdateTerminationProtection: (input) => {
        const stack = existing(text(input, 'StackName'));
        stack.isProtected = input.EnableTerminationProtection === 'true';
        return { StackId: stack.id };
      },
    },
    ({ action, input }) => [
      {
        action: `cloudformation:${action}`,
        resources: [`arn:aws:cloudformation:${location.region}:${location.account}:stack/${String(input.StackName ?? '*')}/*`],
      },
    ],
  );
};

const stackName = (input: Json): string => {
  const name = text(input, 'StackName');
  if (!name.startsWith('arn:') && !/^[a-zA-Z][-a-zA-Z0-9]{0,127}$/.test(name))
    throw invalid(
      `1 validation error detected: Value '${name}' at 'stackName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z][-a-zA-Z0-9]*`,
    );
  return name;
};

const paged = <T>(all: readonly T[], { NextToken }: Json): { readonly page: readonly T[]; readonly next: string | undefined } => {
  const from = Number(NextToken ?? 0);
  const end = from + pageSize;
  return { page: all.slice(from, end), next: end < all.length ? String(end) : undefined };
};

const describeStack = ({ target, outputs, ...stack }: StackState): Json => ({
  StackId: stack.id,
  StackName: stack.name,
  Description: target.template.Description,
  CreationTime: stack.createdAt,
  LastUpdatedTime: stack.updatedAt,
  StackStatus: stack.status,
  StackStatusReason: stack.statusReason,
  EnableTerminationProtection: stack.isProtected,
  ParentId: stack.parentId,
  RootId: stack.rootId,
  Parameters: Object.entries(target.parameters).map(([ParameterKey, ParameterValue]) => ({ ParameterKey, ParameterValue })),
  Outputs: Object.entries(outputs).map(([OutputKey, { value, description, exportName }]) => ({
    OutputKey,
    OutputValue: value,
    Description: description,
    ExportName: exportName,
  })),
});
