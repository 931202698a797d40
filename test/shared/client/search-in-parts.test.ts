/** Parts are searched at once, to the end or until enough is found. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { type Client, type FoundInParts, searchInParts } from '../../../shared/client/index.ts';

const plan = { documents: 600, bytes: 6_000, parts: 6, seconds: 6, estimatedUsd: 0.1 };
const pageOf = (matches: readonly string[]) => ({
  backupId: 'bkp_1',
  projectId: 'prj_1',
  readTime: null,
  kind: 'values' as const,
  plan,
  matches: matches.map((path) => ({ type: 'document' as const, path, id: path })),
  scanned: { documents: 25, bytes: 250 },
});

/** Six parts of four pages with two matches each. */
const serve = () => {
  const seen: Record<string, unknown>[] = [];
  const client = {
    request: (_: string, { query }: { query: Record<string, unknown> }) => {
      seen.push(query);
      return Promise.resolve({ ...pageOf([]), scanned: { documents: 0, bytes: 0 } });
    },
    async *pages(_: string, { query }: { query: Record<string, unknown> }) {
      const part = Number(String(query.part).split('/')[0]);
      for (let page = 1; page <= 4; page++) {
        seen.push(query);
        await Promise.resolve();
        const data = pageOf([1, 2].map((n) => `${part}-${page}-${n}`));
        yield { data, pagination: { hasMore: page < 4, nextCursor: page < 4 ? String(page) : null } };
      }
    },
  } as unknown as Pick<Client, 'request' | 'pages'>;
  return { client, seen };
};
const all = [1, 2, 3, 4, 5, 6].flatMap((part) => [1, 2, 3, 4].flatMap((page) => [1, 2].map((n) => `${part}-${page}-${n}`)));
const pathsOf = ({ matches }: FoundInParts): readonly string[] => matches.map(({ path }) => path);
const query = { q: 'a == 1', projectId: 'prj_1' };

test('search in parts: all parts are of the planned backup, and their matches are in order', async () => {
  const { client, seen } = serve();
  const progress: number[] = [];
  const found = await searchInParts(client, {
    query,
    matchesMax: Number.POSITIVE_INFINITY,
    onProgress: ({ documents }) => progress.push(documents),
  });
  deepEqual([pathsOf(found), found.isComplete, found.scanned], [all, true, { documents: 600, bytes: 6_000 }]);
  deepEqual(
    progress,
    Array.from({ length: 24 }, (_, n) => 25 * (n + 1)),
  );
  deepEqual(seen[0], { ...query, dryRun: 'true' });
  ok(seen.slice(1).every(({ backupId, limit }) => backupId === 'bkp_1' && limit === 100));
});

for (const matchesMax of [1, 2, 3, 8, 9, 20, 47, 48])
  test(`search in parts: the first ${matchesMax} of 48 matches end it`, async () => {
    const { client, seen } = serve();
    const found = await searchInParts(client, { query, matchesMax });
    deepEqual(pathsOf(found), all.slice(0, matchesMax));
    equal(found.isComplete, matchesMax === 48);
    if (matchesMax < 20) ok(seen.length < 24, `${seen.length} calls`);
  });
