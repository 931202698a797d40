/** A backup of a small database that must fail, and the checks of what it leaves behind. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import type { ObjectStore } from '../../../shared/destination/index.ts';
import { organizationKey } from '../../../shared/organization/index.ts';
import {
  begin,
  destinationId,
  eventsOf,
  newWorld,
  organizationNow,
  recordOf,
  runWorkflow,
  server,
  table,
  tenant,
  type World,
  writePaths,
} from './backup-env.ts';

export const paths = ['a/1', 'a/1/gone/2/deep/3', 'b/1', 'c/1', 'd/1'];
export const startOptions = { excludeCollections: ['bb'] };
export const newSeeded = async (): Promise<World> => {
  const world = newWorld();
  await writePaths(world, paths, 500);
  return world;
};

/** A failed backup leaves no objects, and another one can start at once. */
export const leavesNothing = async (world: World, id: string): Promise<void> => {
  deepEqual([...world.store.objects.keys()], []);
  equal(await world.store.abortUnfinishedUploads(''), 0);
  deepEqual(
    [table.find('WORK#'), table.find('RUNNING#'), table.find('ORG#', 'JOB#'), table.find('ORG#', 'ARCHIVE#')],
    [[], [], [], []],
  );
  deepEqual([organizationNow().backupCount, organizationNow().storageUsed], [0, 0]);
  equal(table.get(organizationKey.storageDestination(tenant, destinationId))?.backupCount, 0);
  deepEqual([eventsOf('backup.completed').length, eventsOf('backup.failed').length], [0, 1]);
  const record = recordOf(id);
  deepEqual([record.failure, record.trouble, record.phase], [undefined, undefined, 'finished']);
  server.faults.clear();
  Object.assign(world, { through: (store: ObjectStore) => store, token: async () => 'owner', nowMs: () => Date.now() });
  const next = await begin(world, startOptions);
  await runWorkflow(world, next);
  equal(recordOf(next).status, 'completed');
};

/** Runs a backup that must fail, and returns its record. */
export const failed = async (
  world: World,
  more: Parameters<typeof begin>[1] = {},
  options: Parameters<typeof runWorkflow>[2] = {},
) => {
  const id = await begin(world, { ...startOptions, ...more });
  const errors: string[] = [];
  await runWorkflow(world, id, { onError: (step, { name }) => errors.push(`${step} ${name}`), ...options });
  const record = recordOf(id);
  equal(record.status, 'failed');
  ok(record.completedAt);
  const [told] = eventsOf('backup.failed').map(({ data }) => (data as { backup: { error: unknown } }).backup.error);
  deepEqual(told, record.error);
  return { id, record, errors, error: record.error! };
};
