/** Each link of a chain has the state of its own read time, whatever happens to the source and to other links. A needed link stays. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { commit } from '../../../../shared/platform/index.ts';
import { type BackupRecord, deleteBackup, findDependentBackup } from '../../../../shared/stored-backup/index.ts';
import { createArchiveEnv, type Fields } from '../../../harness/env/archive-env.ts';
import { makeLink, readLink } from '../../../harness/env/chain-links.ts';

const t = await createArchiveEnv();

const paths = [
  ...['a/1', 'a/10', 'a/2', 'a/1/below/1', 'a/1/below/2', 'a/missing/below/3', 'a/__id7__', 'a/__id-9__', 'a/\u{1f600}'],
  ...['b/1', 'b/ ', 'b/x\u0001', 'b/e\u0301', 'b/missing/c/missing/d/1', 'constructor/toString', 'z/1', 'z/2', 'z/~/below/last'],
];
const written = (text: string): Fields => ({ text: { stringValue: text } });

/** Edits before and during the backup of a link; the latter belong to the next link. */
const Edit = fc.record({
  path: fc.constantFrom(...paths),
  isRemoved: fc.boolean(),
});
const Step = fc.record({ before: fc.array(Edit, { maxLength: 6 }), during: fc.array(Edit, { maxLength: 2 }) });
type Step = (typeof Step)['generate'] extends (...all: never[]) => { value: infer S } ? S : never;

const make = async (edits: Step['before'], round: string): Promise<void> => {
  for (const [n, { path, isRemoved }] of edits.entries())
    await t.put({ [path]: isRemoved ? undefined : written(`${round} ${n}`) });
};

interface Link {
  readonly backup: BackupRecord;
  readonly state: readonly (readonly [string, string])[];
}

const chainOf = async (steps: readonly Step[]): Promise<readonly Link[]> => {
  // Leaves end after 512 KiB of bodies: the first link has a few.
  await t.put(Object.fromEntries(paths.slice(0, 12).map((path) => [path, written(path.padEnd(150_000, 'x'))])));
  const links: Link[] = [];
  for (const [n, { before, during }] of steps.entries()) {
    await make(before, `${n}`);
    const state = t.contents();
    const backup = await makeLink(t, { afterPlan: () => make(during, `${n} meanwhile`) });
    equal(backup.status, 'completed', JSON.stringify(backup.error));
    links.push({ backup, state });
  }
  return links;
};

const isWhole = async ({ backup, state }: Link, before: Link | undefined): Promise<void> => {
  const { documents, deleted, archives } = await readLink(t, backup);
  deepEqual(documents, state);
  const now = new Set(state.map(([path]) => path));
  deepEqual(deleted, before ? before.state.map(([path]) => path).filter((path) => !now.has(path)) : []);
  const own = backup.archive.backup;
  deepEqual((backup.needs ?? []).toSorted(), [...new Set(archives.values())].filter((archive) => archive !== own).sort());
  // Unchanged documents stay in the archive that stored them.
  const were = new Map(before?.state);
  for (const [path, bytes] of state) equal(archives.get(path) === own, were.get(path) !== bytes, path);
  deepEqual([backup.documentCount, backup.countVerified], [state.length, true]);
};

/** Deletes all links that can be deleted, in this order, until none is left; the others stay complete. */
const removeAll = async (links: readonly Link[], order: readonly number[]): Promise<void> => {
  const left = new Map(links.map((link) => [link.backup.id, link]));
  const needed = (id: string): boolean => [...left.values()].some(({ backup }) => backup.needs?.includes(id));
  while (left.size > 0) {
    let removed = 0;
    for (const { backup } of order.map((n) => links[n]!)) {
      if (!left.has(backup.id)) continue;
      const remove = async () =>
        deleteBackup(t.tenant, {
          backup: t.backupOf(backup.id),
          child: await findDependentBackup(t.tenant, t.backupOf(backup.id)),
          now: new Date(),
        });
      if (needed(backup.id)) await rejects(remove(), { code: 'CONFLICT' });
      else {
        await commit((await remove()).writes);
        t.stores.get(backup.path)?.objects.clear();
        left.delete(backup.id);
        removed += 1;
      }
    }
    equal(removed > 0, true, 'the last link of a chain can always go');
    // The latest links read the most archives.
    for (const { backup, state } of [...left.values()].slice(-2)) deepEqual((await readLink(t, backup)).documents, state);
  }
};

test('chain: 20 links over random edits', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(Step, { minLength: 20, maxLength: 20 }),
      fc.shuffledSubarray([...Array(20).keys()], { minLength: 20 }),
      async (steps, order) => {
        t.reset();
        const links = await chainOf(steps);
        deepEqual(
          links.map(({ backup }) => [backup.type, backup.chainLength, backup.parentBackupId]),
          links.map((_, n) => [n === 0 ? 'full' : 'incremental', n, n === 0 ? null : links[n - 1]!.backup.id]),
        );
        for (const [n, link] of links.entries()) await isWhole(link, links[n - 1]);
        await removeAll(links, order);
      },
    ),
    // Different edits in each run.
    { numRuns: 1, endOnFailure: true },
  ));
