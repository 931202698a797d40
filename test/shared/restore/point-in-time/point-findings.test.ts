/** A point-in-time restore says what is damaged of the objects it depends on, although it can be completed exactly. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'vitest';
import { type BatchRecord, batchPrefix, pitrKey } from '../../../../shared/pitr/index.ts';
import { restoreData } from '../../../../shared/restore/index.ts';
import { createPointInTimeEnv } from '../../../harness/env/point-in-time-env.ts';

const t = await createPointInTimeEnv();
const text = (stringValue: string) => ({ text: { stringValue } });

const append = (objects: Map<string, Uint8Array>, name: string): void => {
  objects.set(name, Buffer.concat([objects.get(name)!, Buffer.from('more')]));
};
const batch = (): BatchRecord => t.table.find(pitrKey.tokens(t.tenant, t.projectId).pk, batchPrefix)[0] as unknown as BatchRecord;

/** Damages what is stored, and restores a moment after a change. */
const restoreAfter = async (damage: () => void) => {
  await t.startCaptures({ 'users/a': text('1'), 'users/b': text('1') });
  t.nextSecond();
  await t.put({ 'users/a': text('2') });
  const pointInTime = t.nextSecond();
  t.nextSecond();
  await t.runCycle();
  const expected = t.sourceAt(pointInTime);
  await t.put({ 'users/a': text('3'), 'users/b': undefined });
  damage();
  const { id } = await t.startPointInTimeRestore({
    pointInTime,
    targetProjectId: t.projectId,
    options: { mergeMode: 'rollback' },
  } as never);
  const restore = await t.runRestore(id);
  return { restore, expected };
};

const objectsOf = () => t.storeOf(t.base).objects;
const chunk = (): string => [...objectsOf().keys()].find((name) => name.startsWith('chunk/'))!;
const found = (restore: Awaited<ReturnType<typeof restoreAfter>>['restore']): readonly string[] =>
  restoreData(restore).findings.map(({ object, problem }) => `${problem} ${object}`);

test('findings of a point in time: undamaged objects have none', async () => {
  const { restore } = await restoreAfter(() => undefined);
  deepEqual([restore.status, found(restore)], ['completed', []]);
});

for (const [what, damage, finding] of [
  ['bytes appended to a chunk of the base', () => append(objectsOf(), chunk()), () => `size ${t.base.id}/${chunk()}`],
  ['a missing key object of the base', () => objectsOf().delete('key'), () => `missing ${t.base.id}/key`],
] as const)
  test(`findings of a point in time: ${what}: it completes exactly, and record and event say so`, async () => {
    const { restore, expected } = await restoreAfter(damage);
    equal(restore.status, 'completed', JSON.stringify(restore.error));
    deepEqual(t.fieldsOf('source'), expected);
    deepEqual(found(restore), [finding()]);
    const [event] = t.events('restore.completed').map(({ data }) => (data as { restore: Record<string, unknown> }).restore);
    deepEqual([event?.findings, event?.findingsCount], [restoreData(restore).findings, 1]);
  });

for (const [what, damage, named] of [
  ['a missing chunk of the base', () => objectsOf().delete(chunk()), /^chunk\/.*missing/],
  ['a missing batch', () => t.stores.get(batch().path)!.objects.delete(batch().chunk.name), /pitr\/.*the changes from .*missing/],
] as const)
  test(`findings of a point in time: ${what}: it fails by name and writes nothing`, async () => {
    const { restore } = await restoreAfter(damage);
    deepEqual([restore.status, restore.error?.code], ['failed', 'CHUNK_CORRUPT']);
    match(restore.error!.message, named);
    deepEqual([...t.fieldsOf('source').keys()], ['users/a']);
  });
