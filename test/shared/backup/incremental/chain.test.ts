/** Every link of a chain holds its own moment, whatever became of the source and of other links; none goes that another needs. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, test } from 'vitest';
import { type BackupRecord, deleteBackup, findDependentBackup } from '../../../../shared/backup/index.ts';
import { commit } from '../../../../shared/platform/index.ts';
import { type Fields, newReadingWorld, put, type ReadingWorld, recordOf } from '../../../harness/env/archive-env.ts';
import { contents, server, tenant } from '../../../harness/env/backup-env.ts';
import { makeLink, readLink } from '../../../harness/env/chain-links.ts';

afterAll(() => server.stop());

const paths = [
  ...['a/1', 'a/10', 'a/2', 'a/1/below/1', 'a/1/below/2', 'a/missing/below/3', 'a/__id7__', 'a/__id-9__', 'a/\u{1f600}'],
  ...['b/1', 'b/ ', 'b/x\u0001', 'b/e\u0301', 'b/missing/c/missing/d/1', 'constructor/toString', 'z/1', 'z/2', 'z/~/below/last'],
];
const written = (text: string): Fields => ({ text: { stringValue: text } });

/** What is written, or removed, before a link is made and while it is: the latter belongs to the next. */
const Edit = fc.record({
  path: fc.constantFrom(...paths),
  isRemoved: fc.boolean(),
});
const Step = fc.record({ before: fc.array(Edit, { maxLength: 6 }), during: fc.array(Edit, { maxLength: 2 }) });
type Step = (typeof Step)['generate'] extends (...all: never[]) => { value: infer S } ? S : never;

const make = async (world: ReadingWorld, edits: Step['before'], round: string): Promise<void> => {
  for (const [n, { path, isRemoved }] of edits.entries())
    await put(world, { [path]: isRemoved ? undefined : written(`${round} ${n}`) });
};

interface Link {
  readonly backup: BackupRecord;
  readonly state: readonly (readonly [string, string])[];
}

const chainOf = async (world: ReadingWorld, steps: readonly Step[]): Promise<readonly Link[]> => {
  // Leaves end after 512 KiB of bodies: the first link has a few.
  await put(world, Object.fromEntries(paths.slice(0, 12).map((path) => [path, written(path.padEnd(150_000, 'x'))])));
  const links: Link[] = [];
  for (const [n, { before, during }] of steps.entries()) {
    await make(world, before, `${n}`);
    const state = contents(world);
    const backup = await makeLink(world, { afterPlan: () => make(world, during, `${n} meanwhile`) });
    equal(backup.status, 'completed', JSON.stringify(backup.error));
    links.push({ backup, state });
  }
  return links;
};

const isWhole = async (world: ReadingWorld, { backup, state }: Link, before: Link | undefined): Promise<void> => {
  const { documents, gone, places } = await readLink(world, backup);
  deepEqual(documents, state);
  const now = new Set(state.map(([path]) => path));
  deepEqual(gone, before ? before.state.map(([path]) => path).filter((path) => !now.has(path)) : []);
  const own = backup.archive.backup;
  deepEqual((backup.needs ?? []).toSorted(), [...new Set(places.values())].filter((place) => place !== own).sort());
  // What is as it was lies where it lay.
  const were = new Map(before?.state);
  for (const [path, bytes] of state) equal(places.get(path) === own, were.get(path) !== bytes, path);
  deepEqual([backup.documentCount, backup.countVerified], [state.length, true]);
};

/** Takes away whatever can go, in the order given, until no more goes; what stays is whole all the time. */
const removeAll = async (world: ReadingWorld, links: readonly Link[], order: readonly number[]): Promise<void> => {
  const left = new Map(links.map((link) => [link.backup.id, link]));
  const needed = (id: string): boolean => [...left.values()].some(({ backup }) => backup.needs?.includes(id));
  while (left.size > 0) {
    let removed = 0;
    for (const { backup } of order.map((n) => links[n]!)) {
      if (!left.has(backup.id)) continue;
      const remove = async () =>
        deleteBackup(tenant, recordOf(backup.id), await findDependentBackup(tenant, recordOf(backup.id)), new Date());
      if (needed(backup.id)) await rejects(remove(), { code: 'CONFLICT' });
      else {
        await commit((await remove()).writes);
        world.stores.get(backup.path)?.objects.clear();
        left.delete(backup.id);
        removed += 1;
      }
    }
    equal(removed > 0, true, 'the last link of a chain can always go');
    // Those that read the most.
    for (const { backup, state } of [...left.values()].slice(-2)) deepEqual((await readLink(world, backup)).documents, state);
  }
};

test('chain: 20 links over random edits', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(Step, { minLength: 20, maxLength: 20 }),
      fc.shuffledSubarray([...Array(20).keys()], { minLength: 20 }),
      async (steps, order) => {
        const world = newReadingWorld();
        const links = await chainOf(world, steps);
        deepEqual(
          links.map(({ backup }) => [backup.type, backup.chainLength, backup.parentBackupId]),
          links.map((_, n) => [n === 0 ? 'full' : 'incremental', n, n === 0 ? null : links[n - 1]!.backup.id]),
        );
        for (const [n, link] of links.entries()) await isWhole(world, link, links[n - 1]);
        await removeAll(world, links, order);
      },
    ),
    // Other edits each time.
    { numRuns: 1, endOnFailure: true },
  ));
