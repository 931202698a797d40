import { isDeepStrictEqual as equal } from 'node:util';
import { resolve } from '../../cloudformation/resolve-intrinsics.ts';
import { changedProperties, isReplacing } from './changed-properties.ts';
import type { StackRunner } from './stack-runner.ts';
import { type Change, type ChangeSet, type StackState, stackType, type Target } from './stack-state.ts';

/** What AWS shows for a value that only the deployment will know. */
const knownLater = '{{changeSet:KNOWN_AFTER_APPLY}}';

interface PlanOptions {
  readonly runner: StackRunner;
  /** Stores the change set of a nested stack and returns it. */
  readonly nested: (child: StackState | undefined, target: Target, changes: readonly Change[]) => ChangeSet;
}

/** What would change if a stack, or a new one of that name, got the target. */
export const planChanges = async (
  stack: Pick<StackState, 'name' | 'resources'>,
  target: Target,
  options: PlanOptions,
): Promise<readonly Change[]> => {
  const { runner } = options;
  const { names, learned, resources } = runner.read(stack.name, target);
  const foreseen = {
    ...names,
    attribute: (id: string, name: string): unknown =>
      learned[id]?.[name] ?? (isNested(target, id) ? knownLater : names.attribute(id, name)),
    ref: (id: string): unknown => learned[id]?.Ref ?? (isNested(target, id) ? knownLater : names.ref(id)),
  };
  for (const { logicalId, type, physicalId } of stack.resources.values())
    if (type === stackType) learned[logicalId] = outputsOf(runner.find(physicalId));
  const changes: Change[] = [];
  for (const [logicalId, { Type, Properties = {} }] of resources) {
    const properties = resolve(Properties, foreseen) as Record<string, unknown>;
    const existing = stack.resources.get(logicalId);
    const common = { LogicalResourceId: logicalId, ResourceType: Type, PhysicalResourceId: existing?.physicalId };
    if (Type === stackType) {
      const childTarget = await runner.nestedTarget(properties);
      const child = existing && runner.find(existing.physicalId);
      if (child && equal(child.target, childTarget)) continue;
      const below = await planChanges(
        child ?? { name: `${stack.name}-${logicalId}`, resources: new Map() },
        childTarget,
        options,
      );
      const ChangeSetId = options.nested(child, childTarget, below).id;
      changes.push({ ...common, Action: existing ? 'Modify' : 'Add', Replacement: existing && 'False', ChangeSetId });
      continue;
    }
    if (!existing) {
      changes.push({ ...common, Action: 'Add' });
      continue;
    }
    const changed = changedProperties(existing.properties, properties);
    if (changed.length === 0) continue;
    const isReplaced = changed.some((name) => isReplacing(Type, name));
    changes.push({
      ...common,
      Action: 'Modify',
      Replacement: isReplaced ? 'True' : 'False',
      Details: changed.map((Name) => ({
        Target: { Attribute: 'Properties', Name, RequiresRecreation: isReplacing(Type, Name) ? 'Always' : 'Never' },
        Evaluation: 'Static',
        ChangeSource: 'DirectModification',
      })),
    });
  }
  const wanted = new Set(resources.map(([id]) => id));
  for (const { logicalId, type, physicalId, isRetained } of stack.resources.values())
    if (!wanted.has(logicalId))
      changes.push({
        Action: 'Remove',
        LogicalResourceId: logicalId,
        ResourceType: type,
        PhysicalResourceId: physicalId,
        PolicyAction: isRetained ? 'Retain' : 'Delete',
      });
  return changes;
};

const isNested = ({ template }: Target, id: string): boolean => template.Resources[id]?.Type === stackType;

const outputsOf = (child: StackState | undefined): Record<string, string> => ({
  ...(child && { Ref: child.id }),
  ...Object.fromEntries(Object.entries(child?.outputs ?? {}).map(([name, { value }]) => [`Outputs.${name}`, value])),
});
