/** What a restore of a configuration would create and change in a database. Pure; it never deletes and weakens no protection. */
import type { Configuration, ConfigurationPart, ConfigurationStep } from '../../contract/models/configuration.ts';
import { type ConfigurationItem, configurationItems } from './compare-configurations.ts';
import type { IndexState } from './read-index-states.ts';

export interface PlanTarget {
  readonly live: Configuration;
  /** Of its composite indexes, by their description; undefined if they could not be listed. */
  readonly states: ReadonlyMap<string, IndexState> | undefined;
  /** Whether it is the database that the backup was made of. */
  readonly isSource: boolean;
  /** The release of its rules. */
  readonly rulesRelease: string;
}

export interface PlannedStep extends Omit<ConfigurationStep, 'outcome' | 'error'> {
  readonly item: ConfigurationItem;
}

export interface ConfigurationPlan {
  readonly steps: readonly PlannedStep[];
  /** Parts that are not restored, because one side does not know them. */
  readonly unknown: readonly { readonly part: ConfigurationPart; readonly side: 'backup' | 'target'; readonly reason: string }[];
}

export const planConfiguration = (
  wanted: Configuration,
  { parts, ...target }: PlanTarget & { readonly parts: readonly ConfigurationPart[] },
): ConfigurationPlan => {
  const unknown = parts.flatMap((part) => {
    const [side, at] = wanted[part].state !== 'captured' ? (['backup', wanted] as const) : (['target', target.live] as const);
    if (at[part].state !== 'captured') return [{ part, side, reason: at[part].reason ?? at[part].state }];
    return part === 'indexes' && !target.states ? [{ part, side, reason: 'The states of the indexes could not be read' }] : [];
  });
  const isKnown = (part: ConfigurationPart): boolean => parts.includes(part) && !unknown.some((one) => one.part === part);
  const live = new Map(configurationItems(target.live).map((item) => [keyOf(item), item]));
  const steps = configurationItems(wanted)
    .filter(({ part }) => isKnown(part))
    .map((found): PlannedStep => {
      const item = inTarget(found, target);
      const { value: _, ...shown } = item;
      return { ...shown, item, percent: null, reason: null, ...decide(item, live.get(keyOf(item)), target) };
    });
  return { steps, unknown };
};

/** Whether something that can be restored is not in the target yet, or not ready: an index may have failed there. */
export const isUnfinishedStep = ({ action, kind }: Pick<ConfigurationStep, 'action' | 'kind'>): boolean =>
  action === 'create' || action === 'change' || action === 'building' || (action === 'impossible' && kind === 'index');

const keyOf = ({ kind, name }: ConfigurationItem): string => `${kind} ${name}`;

/** Rules of a database are released under its own name. */
const inTarget = (item: ConfigurationItem, { rulesRelease }: PlanTarget): ConfigurationItem =>
  item.kind === 'rules' && item.name.startsWith('cloud.firestore') ? { ...item, name: rulesRelease } : item;

type Decision = Pick<PlannedStep, 'action'> & Partial<Pick<PlannedStep, 'reason' | 'percent'>>;

const decide = (item: ConfigurationItem, live: ConfigurationItem | undefined, target: PlanTarget): Decision => {
  if (item.kind === 'index') return decideIndex(target.states?.get(item.name));
  if (item.value === live?.value) return { action: 'equal' };
  if (item.kind === 'setting') return decideSetting(item);
  if (item.kind === 'rules' && item.name.startsWith('firebase.storage/') && !target.isSource)
    return { action: 'impossible', reason: 'The rules belong to a bucket of the project that was backed up' };
  if (item.kind === 'ttl')
    return { action: 'create', reason: 'Firestore deletes documents whose time is over, also restored ones' };
  return { action: live ? 'change' : 'create' };
};

const decideIndex = (state: IndexState | undefined): Decision => {
  if (!state) return { action: 'create' };
  if (state.state === 'CREATING') return { action: 'building', percent: state.percent };
  if (state.state === 'READY') return { action: 'equal' };
  return { action: 'impossible', reason: `Google says that it is ${state.state}: delete it, and restore it again` };
};

const protections = new Set(['deleteProtection', 'pointInTimeRecovery']);

const decideSetting = ({ name, value }: ConfigurationItem): Decision => {
  if (!protections.has(name)) return { action: 'impossible', reason: 'Google fixes it when a database is created' };
  if (value !== 'true') return { action: 'kept', reason: 'A restore switches no protection off' };
  return { action: 'change' };
};
