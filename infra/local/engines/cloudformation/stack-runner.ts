/** Creates, updates and deletes stacks, resource by resource, and takes back what it did if one fails. */
import { randomUUID } from 'node:crypto';
import { setImmediate as pause } from 'node:timers/promises';
import { isDeepStrictEqual as equal } from 'node:util';
import { namePropertyOf, type StageLocation } from '../../cloudformation/physical-names.ts';
import type { TemplateResource } from '../../cloudformation/read-template.ts';
import { resolve } from '../../cloudformation/resolve-intrinsics.ts';
import { changedProperties, isReplacing } from './changed-properties.ts';
import { type CustomResources, callCustomResource, isCustom } from './custom-resource.ts';
import { invalid, parseTemplate, type ReadTarget, readTarget } from './read-target.ts';
import { type ResourceState, type StackState, stackType, type Target } from './stack-state.ts';

export interface ObjectSource {
  /** Undefined: there is no such object. */
  read(bucket: string, key: string): Promise<Uint8Array | undefined>;
  has(bucket: string, key: string): Promise<boolean>;
}

export interface RunnerOptions {
  readonly location: StageLocation;
  readonly objects: ObjectSource;
  /** Without it, every custom resource succeeds. */
  readonly customResources?: CustomResources | undefined;
}

interface NewStack {
  readonly name: string;
  readonly target: Target;
  readonly parent?: StackState;
}

/** The words in the states of an operation: `CREATE_IN_PROGRESS`, `UPDATE_ROLLBACK_COMPLETE`. */
type Verb = 'CREATE' | 'UPDATE' | 'UPDATE_ROLLBACK';

const roleNameMax = 64;
/** Every API has a stage of the same name. */
const namedWithinApi = 'AWS::ApiGatewayV2::Stage';

export type StackRunner = ReturnType<typeof makeStackRunner>;

export const makeStackRunner = ({ location, objects, customResources = async () => undefined }: RunnerOptions) => {
  /** By id. Deleted stacks stay, as in AWS, for those who ask by id. */
  const stacks = new Map<string, StackState>();
  const isLive = ({ status }: StackState): boolean => status !== 'DELETE_COMPLETE';
  const live = (): readonly StackState[] => [...stacks.values()].filter(isLive);
  const find = (nameOrId: string): StackState | undefined => stacks.get(nameOrId) ?? live().find(({ name }) => name === nameOrId);

  const exportsOf = (): ReadonlyMap<string, { readonly value: string; readonly stack: StackState }> =>
    new Map(
      live().flatMap((stack) =>
        Object.values(stack.outputs).flatMap(({ exportName, value }) =>
          exportName === undefined ? [] : [[exportName, { value, stack }] as const],
        ),
      ),
    );

  /** Reads a target for a stack, and notes what it imports. */
  const read = (stackName: string, target: Target): ReadTarget & { readonly imports: Set<string> } => {
    const imports = new Set<string>();
    const imported = (name: string): unknown => {
      const found = exportsOf().get(name);
      if (!found) throw invalid(`No export named ${name} found.`);
      imports.add(name);
      return found.value;
    };
    return { ...readTarget(target, { stackName, location, imported }), imports };
  };

  const tell = (
    stack: StackState,
    resource: Pick<ResourceState, 'logicalId' | 'physicalId' | 'type' | 'statusReason'>,
    status: string,
  ) =>
    void stack.events.push({
      EventId: randomUUID(),
      StackId: stack.id,
      StackName: stack.name,
      LogicalResourceId: resource.logicalId,
      PhysicalResourceId: resource.physicalId,
      ResourceType: resource.type,
      ResourceStatus: status,
      ResourceStatusReason: resource.statusReason,
      Timestamp: new Date(),
    });

  const setStatus = (stack: StackState, status: string, reason?: string): void => {
    stack.status = status;
    stack.statusReason = reason;
    tell(stack, { logicalId: stack.name, physicalId: stack.id, type: stackType, statusReason: reason }, status);
  };

  const setResource = (stack: StackState, resource: Omit<ResourceState, 'updatedAt'>): void => {
    stack.resources.set(resource.logicalId, { ...resource, updatedAt: new Date() });
    tell(stack, resource, resource.status);
  };

  const add = ({ name, target, parent }: NewStack): StackState => {
    const stack: StackState = {
      id: `arn:aws:cloudformation:${location.region}:${location.account}:stack/${name}/${randomUUID()}`,
      name,
      parentId: parent?.id,
      rootId: parent && (parent.rootId ?? parent.id),
      createdAt: new Date(),
      status: 'REVIEW_IN_PROGRESS',
      isProtected: false,
      target,
      resources: new Map(),
      outputs: {},
      imports: new Set(),
      events: [],
    };
    stacks.set(stack.id, stack);
    return stack;
  };

  const nestedTarget = async (properties: Readonly<Record<string, unknown>>): Promise<Target> => {
    const templateText = await readTemplateUrl(String(properties.TemplateURL));
    const parameters = (properties.Parameters ?? {}) as Readonly<Record<string, string>>;
    return { templateText, template: parseTemplate(templateText), parameters };
  };

  const readTemplateUrl = async (url: string): Promise<string> => {
    const { hostname, pathname } = new URL(url);
    const [, hosted] = /^(.+)\.s3[.-]/.exec(hostname) ?? [];
    const [bucket = '', key = ''] = hosted
      ? [hosted, decodeURIComponent(pathname.slice(1))]
      : decodeURIComponent(pathname.slice(1)).split(/\/(.*)/s);
    const content = await objects.read(bucket, key);
    if (!content) throw invalid(`S3 error: Access Denied or no such object: ${url}`);
    return Buffer.from(content).toString('utf8');
  };

  /** What AWS would refuse. Throws the reason. */
  const check = async (stack: StackState, resource: Omit<ResourceState, 'updatedAt' | 'status'>): Promise<void> => {
    const { type, properties, chosenName, logicalId } = resource;
    if (type === 'AWS::IAM::Role' && (chosenName?.length ?? 0) > roleNameMax)
      throw new Error(
        `1 validation error detected: Value '${chosenName}' at 'roleName' failed to satisfy constraint: Member must have length less than or equal to ${roleNameMax}`,
      );
    const taken = live().find((other) =>
      [...other.resources.values()].some(
        (own) =>
          own.type === type &&
          own.chosenName === chosenName &&
          own.status !== 'DELETE_COMPLETE' &&
          !(other.id === stack.id && own.logicalId === logicalId),
      ),
    );
    if (chosenName !== undefined && taken) throw new Error(`${chosenName} already exists in stack ${taken.id}`);
    const { S3Bucket: bucket, S3Key: key } = (properties.Code ?? {}) as { readonly S3Bucket?: string; readonly S3Key?: string };
    if (bucket !== undefined && key !== undefined && !(await objects.has(bucket, key)))
      throw new Error(
        'Error occurred while GetObject. S3 Error Code: NoSuchKey. S3 Error Message: The specified key does not exist.',
      );
  };

  /** Makes one resource as the template says. Throws the reason if it fails. */
  const make = async (
    stack: StackState,
    [logicalId, resource]: readonly [string, TemplateResource],
    { target: { names, learned }, verb }: { readonly target: ReadTarget; readonly verb: Verb },
  ) => {
    const properties = resolve(resource.Properties ?? {}, names) as Record<string, unknown>;
    const existing = stack.resources.get(logicalId);
    const action = existing ? 'UPDATE' : 'CREATE';
    const common = { logicalId, type: resource.Type, properties, isRetained: resource.DeletionPolicy === 'Retain' };
    if (resource.Type === stackType) {
      const childTarget = await nestedTarget(properties);
      const child =
        (existing && stacks.get(existing.physicalId)) ??
        add({
          name: `${stack.name}-${logicalId}-${randomUUID().slice(0, 12).toUpperCase()}`,
          target: childTarget,
          parent: stack,
        });
      const physicalId = child.id;
      const isChanged = !equal(child.target, childTarget) || child.status === 'REVIEW_IN_PROGRESS';
      if (isChanged) {
        setResource(stack, { ...common, physicalId, status: `${action}_IN_PROGRESS` });
        await apply(child, childTarget, child.status === 'REVIEW_IN_PROGRESS' ? 'CREATE' : verb === 'CREATE' ? 'UPDATE' : verb);
        if (
          !/^(CREATE|UPDATE|UPDATE_ROLLBACK)_COMPLETE$/.test(child.status) ||
          (verb === 'UPDATE' && child.status.includes('ROLLBACK'))
        )
          throw new Error(
            `Embedded stack ${child.id} was not successfully ${action.toLowerCase()}d: ${child.statusReason ?? child.status}`,
          );
        setResource(stack, { ...common, physicalId, status: `${action}_COMPLETE` });
      }
      learned[logicalId] = {
        Ref: child.id,
        ...Object.fromEntries(Object.entries(child.outputs).map(([name, { value }]) => [`Outputs.${name}`, value])),
      };
      return;
    }
    const { ref: physicalId } = names.physical(logicalId);
    const nameProperty = namePropertyOf(resource.Type);
    const isNamed = nameProperty !== undefined && resource.Type !== namedWithinApi;
    const chosenName = isNamed ? (properties[nameProperty] as string | undefined) : undefined;
    const state = { ...common, physicalId, chosenName };
    const changed = existing ? changedProperties(existing.properties, properties) : [];
    if (existing && changed.length === 0) return;
    setResource(stack, { ...state, status: `${action}_IN_PROGRESS` });
    if (
      existing &&
      chosenName !== undefined &&
      chosenName === existing.chosenName &&
      changed.some((name) => isReplacing(resource.Type, name))
    )
      throw new Error(
        `CloudFormation cannot update a stack when a custom-named resource requires replacing. Rename ${chosenName} and update the stack again.`,
      );
    await check(stack, state);
    if (isCustom(state))
      await callCustomResource(customResources, { ...state, stackId: stack.id, requestType: existing ? 'Update' : 'Create' });
    setResource(stack, { ...state, status: `${action}_COMPLETE` });
  };

  const remove = async (stack: StackState, resource: ResourceState): Promise<void> => {
    const { logicalId, type, physicalId, isRetained } = resource;
    if (isRetained) {
      stack.resources.delete(logicalId);
      return tell(stack, { logicalId, type, physicalId }, 'DELETE_SKIPPED');
    }
    setResource(stack, { ...resource, status: 'DELETE_IN_PROGRESS' });
    // A function that cannot delete does not keep the stack: what fails here is not taken back.
    if (isCustom(resource))
      await callCustomResource(customResources, { ...resource, stackId: stack.id, requestType: 'Delete' }).catch(() => undefined);
    const child = type === stackType ? stacks.get(physicalId) : undefined;
    if (child) await destroy(child);
    stack.resources.delete(logicalId);
    tell(stack, { logicalId, type, physicalId }, 'DELETE_COMPLETE');
  };

  /** Brings a stack to a target. The outcome is its status; nothing is thrown once it has begun. */
  const apply = async (stack: StackState, target: Target, verb: Verb): Promise<void> => {
    const before = stack.target;
    const known = new Map(stack.resources);
    stack.updatedAt = new Date();
    setStatus(stack, `${verb}_IN_PROGRESS`);
    const failed: string[] = [];
    try {
      const wanted = read(stack.name, target);
      for (const entry of wanted.resources) {
        await pause();
        await make(stack, entry, { target: wanted, verb }).catch((error: Error) => {
          const [logicalId, { Type }] = entry;
          failed.push(logicalId);
          const existing = stack.resources.get(logicalId);
          setResource(stack, {
            ...(existing ?? { logicalId, type: Type, physicalId: '', properties: {}, isRetained: false }),
            status: `${known.has(logicalId) ? 'UPDATE' : 'CREATE'}_FAILED`,
            statusReason: error.message,
          });
          throw error;
        });
      }
      const outputs = outputsOf(target, wanted);
      refuseTakenExports(stack, outputs);
      stack.target = target;
      stack.outputs = outputs;
      stack.imports = wanted.imports;
      if (verb !== 'CREATE') setStatus(stack, `${verb}_COMPLETE_CLEANUP_IN_PROGRESS`);
      const ids = new Set(wanted.resources.map(([id]) => id));
      for (const resource of [...stack.resources.values()].reverse())
        if (!ids.has(resource.logicalId)) await remove(stack, resource);
      setStatus(stack, `${verb}_COMPLETE`);
    } catch (error) {
      const reason =
        failed.length > 0
          ? `The following resource(s) failed to ${verb.toLowerCase()}: [${failed.join(', ')}].`
          : (error as Error).message;
      if (verb === 'CREATE') {
        setStatus(stack, 'ROLLBACK_IN_PROGRESS', reason);
        for (const resource of [...stack.resources.values()].reverse()) await remove(stack, resource);
        stack.outputs = {};
        setStatus(stack, 'ROLLBACK_COMPLETE', reason);
      } else if (verb === 'UPDATE') {
        for (const id of failed) restoreResource(stack, id, known.get(id));
        await apply(stack, before, 'UPDATE_ROLLBACK');
        stack.statusReason = reason;
      } else setStatus(stack, 'UPDATE_ROLLBACK_FAILED', reason);
    }
  };

  const restoreResource = (stack: StackState, id: string, known: ResourceState | undefined): void => {
    if (known && known.type !== stackType) stack.resources.set(id, known);
  };

  const outputsOf = ({ template: { Outputs = {} } }: Target, { names }: ReadTarget): StackState['outputs'] =>
    Object.fromEntries(
      Object.entries(Outputs)
        .filter(([, { Condition }]) => Condition === undefined || names.condition(Condition))
        .map(([name, { Value, Description, Export }]) => [
          name,
          {
            value: String(resolve(Value, names)),
            description: Description,
            exportName: Export ? String(resolve(Export.Name, names)) : undefined,
          },
        ]),
    );

  const refuseTakenExports = (stack: StackState, outputs: StackState['outputs']): void => {
    for (const { exportName } of Object.values(outputs)) {
      const owner = exportName === undefined ? undefined : exportsOf().get(exportName)?.stack;
      if (owner && owner.id !== stack.id)
        throw new Error(`Export with name ${exportName} is already exported by stack ${owner.name}.`);
    }
  };

  /** The first export that another stack imports. */
  const usedExport = (stack: StackState): string | undefined => {
    for (const { exportName } of Object.values(stack.outputs)) {
      const user = exportName === undefined ? undefined : live().find(({ imports }) => imports.has(exportName));
      if (user) return `Export ${exportName} cannot be deleted as it is in use by ${user.name}`;
    }
    return undefined;
  };

  const destroy = async (stack: StackState): Promise<void> => {
    setStatus(stack, 'DELETE_IN_PROGRESS');
    const reason = usedExport(stack);
    if (reason !== undefined) return setStatus(stack, 'DELETE_FAILED', reason);
    for (const resource of [...stack.resources.values()].reverse()) {
      await pause();
      await remove(stack, resource);
    }
    stack.outputs = {};
    setStatus(stack, 'DELETE_COMPLETE');
  };

  return {
    add,
    apply,
    destroy,
    find,
    live,
    read,
    nestedTarget,
    readTemplateUrl,
    exportsOf,
    discard: (id: string) => stacks.delete(id),
  };
};
