/** A backup of a chain restores to its own time in every mode; its tombstones delete nothing. */
import { deepEqual, equal } from 'node:assert/strict';
import { beforeAll, test } from 'vitest';
import { commit, newId } from '../../../../shared/platform/index.ts';
import { undoRestore } from '../../../../shared/restore/index.ts';
import type { BackupRecord } from '../../../../shared/stored-backup/index.ts';
import { takeLink, text, usualSteps } from '../../../harness/env/chain-env.ts';
import { createRestoreEnv } from '../../../harness/env/restore-env.ts';

const t = await createRestoreEnv();

interface Link {
  readonly backup: BackupRecord;
  readonly held: ReadonlyMap<string, string>;
}
const links: Link[] = [];

beforeAll(async () => {
  t.reset();
  for (const step of usualSteps()) {
    await t.put(
      Object.fromEntries(Object.entries(step).map(([path, value]) => [path, value === undefined ? value : text(value)])),
    );
    links.push({ backup: await takeLink(t), held: t.fieldsOf('source') });
  }
});

const emptied = async (): Promise<void> =>
  t.putTarget(Object.fromEntries([...t.fieldsOf().keys()].map((path) => [path, undefined])));
const strangers = {
  'gone/1': text('made since'),
  'c/8': text('made since'),
  'z/9': text('made since'),
  'a/1': text('edited since'),
};

test('chain: rolled back to any backup, a database has its contents, and after an undo its own earlier ones', async () => {
  for (const { backup, held } of links.slice(1, 3)) {
    await emptied();
    await t.putTarget(strangers);
    const was = t.fieldsOf();
    const done = await t.restore(t.backupOf(backup.id), { mergeMode: 'rollback' });
    equal(done.status, 'completed', JSON.stringify(done.error));
    deepEqual(t.fieldsOf(), held);
    const by = { encryption: { mode: 'kms', keyId: 'key' }, createdBy: { type: 'user', id: newId('user') } } as const;
    const { restore: undo, change } = await undoRestore(t.tenant, {
      restore: t.restoreOf(done.id),
      caller: by,
      now: t.clock.now(),
    });
    await commit(change.writes);
    equal((await t.runRestore(undo.id)).status, 'completed');
    deepEqual(t.fieldsOf(), was);
  }
});

for (const mergeMode of ['overwrite', 'skip_existing', 'merge'] as const)
  test(`chain: with ${mergeMode}, a document that the backup has as deleted and that exists now stays`, async () => {
    const { backup, held } = links[2]!;
    await emptied();
    await t.putTarget(strangers);
    const was = t.fieldsOf();
    const done = await t.restore(t.backupOf(backup.id), { mergeMode });
    equal(done.status, 'completed', JSON.stringify(done.error));
    const expected = new Map([...was, ...held]);
    if (mergeMode === 'skip_existing') expected.set('a/1', was.get('a/1')!);
    deepEqual(t.fieldsOf(), new Map([...expected].sort(([a], [b]) => (a < b ? -1 : 1))));
  });

test('chain: single documents are restored from any backup of the chain; a deleted one is reported as missing', async () => {
  const { backup, held } = links[3]!;
  await emptied();
  const documents = ['a/1', 'a/2', 'c/7', 'c/8', 'e/11', 'gone/1'];
  const done = await t.restore(t.backupOf(backup.id), { documents });
  equal(done.status, 'completed', JSON.stringify(done.error));
  deepEqual(t.fieldsOf(), new Map(documents.flatMap((path) => (held.has(path) ? [[path, held.get(path)!] as const] : []))));
  deepEqual([...(done.notFound ?? [])].sort(), ['c/8', 'gone/1']);
});
