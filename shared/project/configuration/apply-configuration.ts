/** Writes what a plan names, one by one: a call that fails is reported with its step, and the others are made all the same. */
import * as z from 'zod/mini';
import type { Configuration, ConfigurationStep } from '../../contract/models/configuration.ts';
import { type Clock, mapConcurrent } from '../../platform/index.ts';
import { describeIndex, withoutImpliedName } from './compare-configurations.ts';
import { type ConfigurationApi, ConfigurationError } from './configuration-api.ts';
import type { PlannedStep } from './plan-configuration.ts';

interface ApplyOptions {
  readonly wanted: Configuration;
  readonly steps: readonly PlannedStep[];
  /** Steps that are not begun by then are `not_reached`; repeating the restore goes on with them. */
  readonly deadline: Date;
  readonly clock: Clock;
}

const callsAtOnce = 8;
const alreadyExists = 409;

export const applyConfiguration = async (
  api: ConfigurationApi,
  { wanted, steps, deadline, clock }: ApplyOptions,
): Promise<readonly ConfigurationStep[]> =>
  mapConcurrent(steps, callsAtOnce, async ({ item: _, ...step }): Promise<ConfigurationStep> => {
    if (step.action !== 'create' && step.action !== 'change') return { ...step, outcome: null, error: null };
    if (clock.now() >= deadline) return { ...step, outcome: 'not_reached', error: null };
    try {
      await write(api, wanted, step);
      return { ...step, outcome: 'written', error: null };
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      // Another client, or an earlier call whose answer was lost, has created it.
      if (step.kind === 'index' && error.status === alreadyExists) return { ...step, outcome: 'written', error: null };
      return { ...step, outcome: 'failed', error: error.message };
    }
  });

type Step = Omit<PlannedStep, 'item'>;

const write = async ({ call }: ConfigurationApi, wanted: Configuration, step: Step): Promise<void> => {
  if (step.kind === 'index') return void (await call({ api: 'database', method: 'POST', ...indexCall(wanted, step) }));
  if (step.kind === 'rules') return writeRules({ call }, wanted, step);
  if (step.kind === 'setting') {
    const { field, value } = settings[step.name as keyof typeof settings];
    return void (await call({
      api: 'database',
      method: 'PATCH',
      path: '',
      query: { updateMask: field },
      body: { [field]: value },
    }));
  }
  await call({ api: 'database', method: 'PATCH', ...fieldCall(wanted, step) });
};

const settings = {
  deleteProtection: { field: 'deleteProtectionState', value: 'DELETE_PROTECTION_ENABLED' },
  pointInTimeRecovery: { field: 'pointInTimeRecoveryEnablement', value: 'POINT_IN_TIME_RECOVERY_ENABLED' },
} as const;

const groupPath = (collectionGroup: string): string => `/collectionGroups/${encodeURIComponent(collectionGroup)}`;

const apiField = ({ vectorDimension, ...field }: Configuration['indexes']['items'][number]['fields'][number]) => ({
  ...field,
  ...(vectorDimension !== undefined && { vectorConfig: { dimension: vectorDimension, flat: {} } }),
});

const indexCall = ({ indexes }: Configuration, { name }: Step) => {
  const found = one(indexes.items, (index) => describeIndex(index) === name);
  const { collectionGroup, fields, density: _, ...index } = found;
  return { path: `${groupPath(collectionGroup)}/indexes`, body: { ...index, fields: withoutImpliedName(fields).map(apiField) } };
};

const fieldCall = ({ fields }: Configuration, { kind, name }: Step) => {
  const { collectionGroup, fieldPath, indexes } = one(
    fields.items,
    (field) => `${field.collectionGroup}.${field.fieldPath}` === name,
  );
  const path = `${groupPath(collectionGroup)}/fields/${encodeURIComponent(fieldPath)}`;
  if (kind === 'ttl') return { path, query: { updateMask: 'ttlConfig' }, body: { ttlConfig: {} } };
  const own = (indexes ?? []).map(({ queryScope, ...mode }) => ({ queryScope, fields: [apiField({ fieldPath, ...mode })] }));
  return { path, query: { updateMask: 'indexConfig' }, body: { indexConfig: { indexes: own } } };
};

const Ruleset = z.object({ name: z.string() });

/** A ruleset cannot be changed: a new one is created, and released instead of the one before. */
const writeRules = async (
  { call }: Pick<ConfigurationApi, 'call'>,
  { rules }: Configuration,
  { name, action }: Step,
): Promise<void> => {
  const isOfDatabase = name.startsWith('cloud.firestore');
  const { files } = one(rules.items, ({ release }) => (isOfDatabase ? release.startsWith('cloud.firestore') : release === name));
  const created = await call({ api: 'rules', method: 'POST', path: '/rulesets', body: { source: { files } } });
  const { name: rulesetName } = Ruleset.parse(created);
  const project = rulesetName.slice(0, rulesetName.indexOf('/rulesets/'));
  const release = { name: `${project}/releases/${name}`, rulesetName };
  if (action === 'create') await call({ api: 'rules', method: 'POST', path: '/releases', body: release });
  else await call({ api: 'rules', method: 'PATCH', path: `/releases/${name}`, body: { release } });
};

const one = <T>(items: readonly T[], matches: (item: T) => boolean): T => {
  const found = items.find(matches);
  if (!found) throw new Error('a step names nothing of the configuration');
  return found;
};
