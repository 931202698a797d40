/** Backups that are built from captured changes have filters, too: of the leaves that they copy and of the changes. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { storedObjects } from '../../../../shared/archive/index.ts';
import { changesAfter } from '../../../../shared/pitr/index.ts';
import { type BackupRecord, openArchive } from '../../../../shared/stored-backup/index.ts';
import { chance } from '../../../harness/builders/sample-archive.ts';
import { assertVerified } from '../../../harness/env/capture/built-backup.ts';
import { type CaptureEnv, createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';
import { nameSearchFields, searchIn } from '../../../harness/env/search-fields.ts';

afterAll(stopCaptureEnv);

const random = chance('built search');
const textOf = (): string => random(500).toString('hex');
const pathOf = (n: number): string => `things/t${String(n).padStart(4, '0')}`;

const search = async (t: CaptureEnv, { id: backupId }: BackupRecord, text: string) => {
  const found = await searchIn(
    { tenant: t.tenant, projectId: t.projectId, deps: t.deps, clock: t.deps.clock },
    `text == "${text}"`,
    { backupId, limit: 10 },
  );
  return { paths: found.matches.map(({ path }) => path), documents: found.scanned.documents, indexed: found.plan.indexed };
};

const filtersOf = async (t: CaptureEnv, backup: BackupRecord): Promise<readonly string[]> => {
  const open = await openArchive(t.tenant, { backup, deps: t.deps });
  open.close();
  const { manifest } = open.archive;
  const own = storedObjects(manifest).filter((entry) => entry.backup === manifest.backup);
  equal(own.length + 2, [...t.folder(backup.path).objects.keys()].length);
  return (manifest.filters ?? []).map(({ backup: of, name }) => (of === manifest.backup ? name : `${of} ${name}`)).sort();
};

test('built backup: a search finds what was copied, what has changed and nothing else, with few documents read', async () => {
  const texts = new Map(Array.from({ length: 3_000 }, (_, n) => [pathOf(n), textOf()]));
  const t = await createActiveCapture(Object.fromEntries(texts));
  t.deps = {
    ...t.deps,
    changes: changesAfter(async () => {
      t.pass(1);
      if (Date.parse(t.pitr.nextTurnAt ?? '') <= t.nowMs) await t.runCycle();
    }),
  };
  nameSearchFields(t, ['text']);
  t.pass(1);
  const changed = new Map(Array.from({ length: 400 }, (_, n) => [pathOf(7 * n), textOf()]));
  const [first, second] = [texts.get(pathOf(7))!, texts.get(pathOf(8))!];
  await t.put(Object.fromEntries(changed));
  const full = await t.takeBackup();
  deepEqual([full.builtFrom, full.type], ['changes', 'full']);
  const filters = await filtersOf(t, full);
  ok(filters.some((name) => name.startsWith('filter/5')) && filters.some((name) => name.startsWith('filter/9')), filters.join());
  t.pass(1);
  await t.put({ [pathOf(8)]: null, [pathOf(9)]: 'short' });
  const next = await t.takeBackup({ type: 'incremental', parentBackupId: full.id, chainLength: 1 });
  deepEqual(await filtersOf(t, next), filters.map((name) => `${full.archive.backup} ${name}`).sort());
  for (const backup of [full, next]) {
    await assertVerified(t, backup);
    for (const [path, text] of [...texts, ...changed].filter((_, n) => n % 211 === 5)) {
      const isOld = changed.has(path) && changed.get(path) !== text;
      const found = await search(t, backup, text);
      deepEqual([found.paths, found.indexed], [isOld || (path === pathOf(9) && backup === next) ? [] : [path], true]);
      ok(found.documents < 1_500, `${found.documents} documents`);
    }
    deepEqual((await search(t, backup, first)).paths, []);
  }
  deepEqual([(await search(t, full, second)).paths, (await search(t, next, second)).paths], [[pathOf(8)], []]);
  deepEqual([(await search(t, full, 'short')).paths, (await search(t, next, 'short')).paths], [[], [pathOf(9)]]);
});
