/** The scope of a restore: never more than was requested, and never more than the backup covers. */
import { deepEqual, equal } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { isInRange } from '../../../../shared/firestore/index.ts';
import { type RestoreScope, restoreScope, type ScopeRequest } from '../../../../shared/restore/scope/restore-scope.ts';

const asked: ScopeRequest = { mergeMode: 'overwrite', collections: ['*'], includeSubcollections: true, undoOf: null };
const everything = { collections: ['*'], excludedCollections: [] };
const holds = ({ ranges, wants }: RestoreScope, path: string): boolean =>
  ranges.some((range) => isInRange(path, range)) && (wants?.(path) ?? true);

const paths = [
  ...['users/ada', 'users/ada/orders/1', 'users/ada/orders/1/items/x', 'users/ada!/orders/1', 'users/adam', 'users/bob/orders/2'],
  ...['users!/ada', 'user/ada', 'orders/1', 'orders/1/items/x', 'ghost/none/orders/3', 'users/__id7__', 'users/__id7__/orders/1'],
  ...['users/__id8__', 'users/ada\0', 'users/ada\0/orders/1', '\u{1f600}/1', 'users/__id9223372036854775807__/orders/1'],
];
const among = (scope: RestoreScope): readonly string[] => paths.filter((path) => holds(scope, path));

test('scope: everything means everything that the backup covers', () => {
  deepEqual(among(restoreScope(asked, everything, undefined)), paths);
  const covered = { collections: ['users', 'orders'], excludedCollections: ['users/ada/orders'] };
  deepEqual(
    among(restoreScope(asked, covered, undefined)),
    paths.filter((path) => /^(users|orders)\//.test(path) && !path.startsWith('users/ada/orders/')),
  );
});

test('scope: a collection is included with or without its subcollections', () => {
  const users = { ...asked, collections: ['users'] };
  deepEqual(
    among(restoreScope(users, everything, undefined)),
    paths.filter((path) => path.startsWith('users/')),
  );
  const flat = { ...users, includeSubcollections: false };
  deepEqual(
    among(restoreScope(flat, everything, undefined)),
    paths.filter((path) => path.startsWith('users/') && path.split('/').length === 2),
  );
  const deep = { ...asked, collections: ['users/ada/orders'], includeSubcollections: false };
  deepEqual(among(restoreScope(deep, everything, undefined)), ['users/ada/orders/1']);
  deepEqual(
    among(restoreScope({ ...asked, includeSubcollections: false }, everything, undefined)),
    paths.filter((path) => path.split('/').length === 2),
  );
});

test('scope: a document is included alone or with its subtree, whatever its neighbours are named', () => {
  for (const path of paths) {
    const below = paths.filter((one) => one === path || one.startsWith(`${path}/`));
    deepEqual(among(restoreScope(asked, everything, [path])), below, path);
    deepEqual(among(restoreScope({ ...asked, includeSubcollections: false }, everything, [path])), [path]);
  }
});

test('scope: a document in the subtree of another requested one is included once', () => {
  const { ranges } = restoreScope(asked, everything, ['users/ada/orders/1', 'users/ada', 'users/ada!/orders/1']);
  equal(ranges.length, 2);
});

test('scope: a document that the backup does not cover is not in scope, even by name', () => {
  const covered = { collections: ['users'], excludedCollections: ['users/ada/orders'] };
  deepEqual(among(restoreScope(asked, covered, ['orders/1', 'users/ada', 'users/ada/orders/1'])), ['users/ada']);
  deepEqual(restoreScope(asked, covered, ['orders/1']).ranges, []);
});

test('scope: the target is queried by name for requested documents without deletes and for an undo; otherwise it is scanned', () => {
  equal(restoreScope(asked, everything, undefined).look, 'scan');
  equal(restoreScope(asked, everything, ['a/b']).look, 'lookup');
  equal(restoreScope({ ...asked, mergeMode: 'rollback' }, everything, ['a/b']).look, 'scan');
  deepEqual(restoreScope({ ...asked, mergeMode: 'rollback', undoOf: 'res_1' }, everything, undefined), {
    ranges: [{}],
    look: 'lookup',
  });
});

test('scope: for any documents and collections, a path is in scope exactly if it is requested and the backup covers it', () => {
  const id = fc.constantFrom('a', 'b', 'a!', 'a\0', '__id1__', '__id2__', 'é');
  const collection = fc.constantFrom('a', 'b', 'a!', 'a\0', 'é');
  const document = fc.array(fc.tuple(collection, id), { minLength: 1, maxLength: 3 }).map((parts) => parts.flat().join('/'));
  const collections = fc.uniqueArray(
    fc.oneof(
      collection,
      fc.tuple(document, collection).map((parts) => parts.join('/')),
    ),
    {
      minLength: 1,
      maxLength: 3,
    },
  );
  const isBelow = (path: string, of: string): boolean => path === of || path.startsWith(`${of}/`);
  fc.assert(
    fc.property(
      fc.record({
        path: document,
        documents: fc.option(fc.array(document, { minLength: 1, maxLength: 4 }), { nil: undefined }),
        included: fc.oneof(collections, fc.constant<string[]>(['*'])),
        covered: fc.oneof(collections, fc.constant<string[]>(['*'])),
        excluded: fc.oneof(collections, fc.constant<string[]>([])),
        includeSubcollections: fc.boolean(),
      }),
      ({ path, documents, included, covered, excluded, includeSubcollections }) => {
        const inAny = (list: readonly string[]): boolean => list.includes('*') || list.some((one) => isBelow(path, one));
        const isRight = included.includes('*')
          ? path.split('/').length === 2
          : included.includes(path.slice(0, path.lastIndexOf('/')));
        const isNamed = documents
          ? documents.some((one) => (includeSubcollections ? isBelow(path, one) : one === path))
          : includeSubcollections || isRight;
        const expected = inAny(covered) && !excluded.some((one) => isBelow(path, one)) && inAny(included) && isNamed;
        const scope = restoreScope(
          { ...asked, collections: included, includeSubcollections },
          { collections: covered, excludedCollections: excluded },
          documents,
        );
        equal(holds(scope, path), expected);
      },
    ),
    { numRuns: 2_000 },
  );
});
