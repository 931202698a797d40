import { deepEqual, equal, ok } from 'node:assert/strict';
import { after, test } from 'node:test';
import { awkward, contents, write } from '../firestore/world.ts';
import {
  aws,
  begin,
  eventsOf,
  newWorld,
  organizationNow,
  percentsTold,
  readBack,
  recordOf,
  runWorkflow,
  server,
  table,
} from './engine-world.ts';

after(async () => {
  aws.stop();
  await server.stop();
});

test('a backup holds every document byte for byte, and says so only when it does', async () => {
  const world = newWorld();
  await write(server, awkward);
  const id = await begin(world);
  await runWorkflow(world, id, { onError: (step, error) => console.error(step, error) });
  const record = recordOf(id);
  equal(record.status, 'completed', JSON.stringify(record.error));
  const { documents, manifest } = await readBack(world, id);
  deepEqual(documents, contents(server));
  equal(record.documentCount, awkward.length);
  deepEqual(percentsTold(), [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  equal(eventsOf('backup.completed').length, 1);
  ok(manifest.pages.length > 0);
  equal(organizationNow().backupCount, 1);
  deepEqual(table.find('WORK#'), []);
});
