/** Comparing two configurations, and planning a restore of one. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import type { Configuration } from '../../../../shared/contract/models/configuration.ts';
import { compareConfigurations, describeIndex } from '../../../../shared/project/configuration/compare-configurations.ts';
import { isUnfinishedStep, planConfiguration } from '../../../../shared/project/configuration/plan-configuration.ts';

const captured = { state: 'captured', reason: null } as const;
const index = (...fields: Configuration['indexes']['items'][number]['fields']) => ({
  collectionGroup: 'users',
  queryScope: 'COLLECTION',
  fields,
});
const up = (fieldPath: string) => ({ fieldPath, order: 'ASCENDING' });
const down = (fieldPath: string) => ({ fieldPath, order: 'DESCENDING' });

const configuration = (more: Partial<Configuration> = {}): Configuration => ({
  capturedAt: '2026-01-01T00:00:00.000Z',
  settings: {
    ...captured,
    value: {
      locationId: 'eur3',
      type: 'FIRESTORE_NATIVE',
      edition: 'STANDARD',
      deleteProtection: true,
      pointInTimeRecovery: false,
    },
  },
  indexes: { ...captured, items: [index(up('age'), down('name'), down('__name__'))] },
  fields: { ...captured, items: [{ collectionGroup: 'users', fieldPath: 'expiresAt', indexes: [], ttl: true }] },
  rules: { ...captured, items: [{ release: 'cloud.firestore', updatedAt: null, files: [{ name: 'rules', content: 'one' }] }] },
  ...more,
});

test('an index is the same, whether the name that Google adds is written or not', () => {
  const name = 'users: age ascending, name descending';
  equal(describeIndex(index(up('age'), down('name'))), name);
  equal(describeIndex(index(up('age'), down('name'), down('__name__'))), name);
  // In the other direction it is another index.
  equal(describeIndex(index(up('age'), down('name'), up('__name__'))), `${name}, __name__ ascending`);
  const special = {
    ...index({ fieldPath: 'tags', arrayConfig: 'CONTAINS' }, { fieldPath: 'v', vectorDimension: 3 }),
    unique: true,
  };
  equal(
    describeIndex({ ...special, queryScope: 'COLLECTION_GROUP' }),
    'users (collection group): tags array-contains, v vector of 3 [unique]',
  );
});

test('the order of indexes, of the modes of a field, and when rules were released make no difference', () => {
  const one = index(up('a'), up('b'));
  const two = index(up('b'), up('a'));
  const modes = [
    { queryScope: 'COLLECTION', order: 'ASCENDING' },
    { queryScope: 'COLLECTION', arrayConfig: 'CONTAINS' },
  ];
  const field = { collectionGroup: 'users', fieldPath: 'note', ttl: false };
  const before = configuration({
    indexes: { ...captured, items: [one, two] },
    fields: { ...captured, items: [{ ...field, indexes: modes }] },
  });
  const after = configuration({
    indexes: { ...captured, items: [two, one] },
    fields: { ...captured, items: [{ ...field, indexes: modes.toReversed() }] },
    rules: { ...captured, items: [{ ...before.rules.items[0]!, updatedAt: '2026-01-02T00:00:00Z' }] },
  });
  deepEqual(compareConfigurations(before, after), { differences: [], unknown: [], equal: 9 });
});

test('what one side does not know is neither gone nor new', () => {
  const limited = configuration({ indexes: { state: 'permission_missing', reason: 'denied', items: [] } });
  deepEqual(compareConfigurations(configuration(), limited).unknown, ['indexes']);
  deepEqual(compareConfigurations(limited, configuration()).differences, []);
});

const planned = (live: Configuration, more: Partial<Parameters<typeof planConfiguration>[1]> = {}) =>
  planConfiguration(configuration(), {
    parts: ['settings', 'indexes', 'fields', 'rules'],
    live,
    states: new Map(),
    isSource: true,
    rulesRelease: 'cloud.firestore',
    ...more,
  });

test('a plan creates what is missing, changes what differs, and leaves out what a side does not tell', () => {
  const live = configuration({
    indexes: { ...captured, items: [] },
    fields: { ...captured, items: [{ collectionGroup: 'users', fieldPath: 'expiresAt', indexes: null, ttl: true }] },
    rules: { state: 'api_disabled', reason: 'off', items: [] },
  });
  const { steps, unknown } = planned(live);
  deepEqual(
    steps.filter(({ action }) => action !== 'equal').map(({ kind, name, action }) => [kind, name, action]),
    [
      ['index', 'users: age ascending, name descending', 'create'],
      ['field', 'users.expiresAt', 'create'],
    ],
  );
  deepEqual(unknown, [{ part: 'rules', side: 'target', reason: 'off' }]);
  deepEqual(planned(live, { parts: ['fields'] }).steps.length, 2);
});

test('an index that Google builds, or could not build, is neither equal nor created again', () => {
  const name = 'users: age ascending, name descending';
  const stepOf = (state: string, percent: number | null) => {
    const {
      action,
      percent: shown,
      reason,
    } = planned(configuration(), {
      states: new Map([[name, { state, percent }]]),
    }).steps.find(({ kind }) => kind === 'index')!;
    return { action, percent: shown, reason };
  };
  deepEqual(
    ['CREATING', 'READY', 'NEEDS_REPAIR'].map((state) => isUnfinishedStep({ kind: 'index', action: stepOf(state, null).action })),
    [true, false, true],
  );
  deepEqual(stepOf('CREATING', 40), { action: 'building', percent: 40, reason: null });
  deepEqual(stepOf('READY', null), { action: 'equal', percent: null, reason: null });
  deepEqual(stepOf('NEEDS_REPAIR', null), {
    action: 'impossible',
    percent: null,
    reason: 'Google says that it is NEEDS_REPAIR: delete it, and restore it again',
  });
});

test('indexes whose states cannot be read are left out, instead of being created', () => {
  const { steps, unknown } = planned(configuration(), { states: undefined });
  deepEqual(unknown, [{ part: 'indexes', side: 'target', reason: 'The states of the indexes could not be read' }]);
  deepEqual(
    steps.filter(({ kind }) => kind === 'index'),
    [],
  );
});

test('a database with another name gets the rules under its own', () => {
  const live = configuration({ rules: { ...captured, items: [] } });
  const rules = planned(live, { isSource: false, rulesRelease: 'cloud.firestore/copy' }).steps.find(
    ({ kind }) => kind === 'rules',
  )!;
  deepEqual([rules.name, rules.action], ['cloud.firestore/copy', 'create']);
});
