/** The search, the filters, the orders and the pages of the overview. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { overviewExample } from '../../../shared/contract/openapi/examples/job-examples.ts';
import { selectProjects } from '../../../shared/overview/index.ts';

type Shown = Parameters<typeof selectProjects>[0][number];
type Query = Parameters<typeof selectProjects>[1];

const [sample] = overviewExample.projects;
const project = (name: string, more: Partial<Shown> = {}): Shown => ({
  ...sample!,
  id: `prj_${name}`,
  name,
  sourceProjectId: `${name.toLowerCase()}-source`,
  labels: {},
  ...more,
});
const backup = (completedAt: string) => ({ ...sample!.lastGoodBackup!, completedAt });
const proof = (at: string) => ({ backupId: null, runId: null, at, documents: 1, documentsWritten: 1 });

const projects = [
  project('Zebra', { protection: 'unprotected', lastGoodBackup: null, labels: { team: 'blog' } }),
  project('Anvil', { protection: 'protected', lastGoodBackup: backup('2026-03-03'), labels: { team: 'shop', env: 'test' } }),
  project('mango', { protection: 'at_risk', lastGoodBackup: backup('2026-03-01'), lastRestoreTest: proof('2026-02-02') }),
  project('Birch', { protection: 'protected', verified: false, lastGoodBackup: backup('2026-03-02'), labels: { team: 'shop' } }),
];

const select = (query: Partial<Query> = {}, page = { limit: 50, after: undefined as string | undefined }) =>
  selectProjects(projects, { sort: 'protection', ...query } as Query, page);
const namesOf = (query: Partial<Query>): readonly string[] => select(query).items.map(({ name }) => name);

const cases: readonly (readonly [query: Partial<Query>, names: readonly string[]])[] = [
  [{}, ['Zebra', 'mango', 'Birch', 'Anvil']],
  [{ sort: '-protection' }, ['Anvil', 'Birch', 'mango', 'Zebra']],
  [{ sort: 'name' }, ['Anvil', 'Birch', 'mango', 'Zebra']],
  [{ sort: 'lastBackup' }, ['Zebra', 'mango', 'Birch', 'Anvil']],
  [{ sort: '-lastRestoreTest' }, ['mango', 'Zebra', 'Birch', 'Anvil']],
  [{ protection: 'protected' }, ['Birch', 'Anvil']],
  [{ label: 'team=shop' }, ['Birch', 'Anvil']],
  [{ label: 'team' }, ['Zebra', 'Birch', 'Anvil']],
  [{ label: 'team=shop,env' }, ['Anvil']],
  [{ label: 'constructor' }, []],
  [{ search: ' MANGO-so ' }, ['mango']],
  [{ search: 'team=blog' }, ['Zebra']],
  [{ search: 'i', protection: 'protected' }, ['Birch', 'Anvil']],
  [{ search: 'prj_Birch' }, ['Birch']],
];
for (const [query, expected] of cases)
  test(`overview projects: ${JSON.stringify(query)}`, () => {
    deepEqual(namesOf(query), expected);
    equal(select(query).matching, expected.length);
  });

test('overview projects: pages of any size have every project once, also if the last one of a page is gone', () => {
  for (const sort of ['protection', '-name', 'lastBackup'] as const)
    for (const limit of [1, 2, 3, 4]) {
      const found: string[] = [];
      let after: string | undefined;
      do {
        const { items, next, matching } = select({ sort }, { limit, after });
        equal(matching, 4);
        found.push(...items.map(({ name }) => name));
        after = next;
      } while (after !== undefined);
      deepEqual(found, namesOf({ sort }));
    }
  const { next } = select({ sort: 'name' }, { limit: 2, after: undefined });
  const rest = selectProjects(
    projects.filter(({ name }) => name !== 'Birch'),
    { sort: 'name' } as Query,
    { limit: 50, after: next },
  );
  deepEqual(
    rest.items.map(({ name }) => name),
    ['mango', 'Zebra'],
  );
});
