import { deepEqual, ok } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { readStoredCaptures } from '../../../../shared/pitr/index.ts';
import { createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';

afterAll(stopCaptureEnv);

test('stored captures: the objects and bytes of all batches in the destination, until they have expired', async () => {
  const t = await createActiveCapture({ 'users/ada': '0' }, { precision: 'interval' });
  for (const text of ['1', '2']) {
    await t.put({ 'users/ada': text });
    await t.runNextCycle();
  }
  const inBucket = (): readonly Uint8Array[] => t.batches.flatMap(({ path }) => [...t.folders.get(path)!.objects.values()]);
  const bytes = inBucket().reduce((sum, { length }) => sum + length, 0);
  ok(bytes > 0);
  const { projectId } = t;
  deepEqual(await readStoredCaptures(t.tenant, t.destinationId), [
    { projectId, status: 'active', isCurrent: true, stored: { objects: inBucket().length, bytes } },
  ]);
  const nothing = { objects: 0, bytes: 0 };
  deepEqual(await readStoredCaptures(t.tenant, 'dst_other'), [
    { projectId, status: 'active', isCurrent: false, stored: nothing },
  ]);
  await t.disable();
  t.pass(30 * 24 * 3_600);
  await t.expire();
  deepEqual(await readStoredCaptures(t.tenant, t.destinationId), [
    { projectId, status: 'disabled', isCurrent: true, stored: nothing },
  ]);
});
