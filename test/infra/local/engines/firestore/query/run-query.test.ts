import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, test } from 'vitest';
import { pathKey } from '../../../../../../infra/local/engines/firestore/base/path-key.ts';
import type { StoredDocument } from '../../../../../../infra/local/engines/firestore/base/types.ts';
import { proto } from '../../../../../../infra/local/engines/firestore/proto/codecs.ts';
import { executePlan, type Scan } from '../../../../../../infra/local/engines/firestore/query/execute-plan.ts';
import { planQuery } from '../../../../../../infra/local/engines/firestore/query/plan.ts';
import { propertyRuns } from '../../../../../harness/builders/property-runs.ts';
import { present } from '../../../../../harness/firestore/encoded.ts';
import { database, document, structuredQuery } from '../../../../../harness/firestore/messages.ts';
import {
  type Condition,
  evaluate,
  type Plain,
  type PlainDocument,
  type PlainQuery,
} from '../../../../../harness/firestore/reference-order.ts';

const root = { projectId: 'p', databaseId: '(default)', path: '', key: '' };

/** Runs a query through the planner over encoded documents. */
const run = (documents: readonly PlainDocument[], query: PlainQuery): readonly string[] => {
  const stored: StoredDocument[] = documents
    .map((one) => ({ key: pathKey(one.path), path: one.path, createTime: 1, updateTime: 1, bytes: document(one) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const scan: Scan = (from, to, { backwards } = {}) => {
    const range = stored.filter(({ key }) => key >= from && key < to);
    return backwards ? range.reverse() : range;
  };
  // Encoded and decoded, like a client's query.
  const message = proto.StructuredQuery.decode(proto.StructuredQuery.encode(structuredQuery(query)));
  const results = executePlan(planQuery(message, { parent: root, databaseName: database }), scan);
  return [...results].map((one) => present(one).path);
};

const scalar: fc.Arbitrary<Plain> = fc.oneof(
  fc.constant<Plain>({ t: 'null' }),
  fc.boolean().map((v): Plain => ({ t: 'bool', v })),
  fc
    .constantFrom(0n, 1n, -1n, 2n, 3n, 9_007_199_254_740_993n, 9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n)
    .map((v): Plain => ({ t: 'int', v })),
  fc
    .constantFrom(0, -0, 1, 1.5, 3, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 9_007_199_254_740_992, 9.3e18)
    .map((v): Plain => ({ t: 'double', v })),
  fc.constantFrom(0n, 1_700_000_000_000_001n, 1_700_000_000_000_002n).map((v): Plain => ({ t: 'time', v })),
  fc.constantFrom('', 'a', 'b', 'ab', 'é', '\u{1f600}', '\uffee', '\u0000').map((v): Plain => ({ t: 'text', v })),
  fc.constantFrom([], [0], [255], [0, 1]).map((v): Plain => ({ t: 'bytes', v })),
  fc.constantFrom('c/a', 'c/b', 'c/__id7__', 'c/__id10__', 'c/a/c/b').map((v): Plain => ({ t: 'ref', v })),
  fc.constantFrom<readonly [number, number]>([0, 0], [0, 1], [-1, 5]).map((v): Plain => ({ t: 'geo', v })),
);
const plain: fc.Arbitrary<Plain> = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 3 }).map((v): Plain => ({ t: 'array', v })) },
  {
    weight: 1,
    arbitrary: fc.dictionary(fc.constantFrom('x', 'y', 'é'), scalar, { maxKeys: 3 }).map((v): Plain => ({ t: 'map', v })),
  },
);

const paths = [
  'c/a',
  'c/b',
  'c/B',
  'c/é',
  'c/\u{1f600}',
  'c/\uffee',
  'c/__id7__',
  'c/__id-3__',
  'c/__id10__',
  'd/a',
  'c/a/c/a',
  'c/a/c/b',
  'c/b/d/a',
  'd/missing/c/z',
  'c-/a',
  'c/a.b',
  'c/a!',
];
const documents: fc.Arbitrary<readonly PlainDocument[]> = fc
  .uniqueArray(fc.constantFrom(...paths), { minLength: 3 })
  .chain((chosen) =>
    fc.tuple(
      ...chosen.map((path) =>
        fc.dictionary(fc.constantFrom('f', 'g', 'h'), plain, { maxKeys: 3 }).map((fields) => ({ path, fields })),
      ),
    ),
  );

const field = fc.constantFrom('f', 'g');
const leaf: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    op: fc.constantFrom('<' as const, '<=' as const, '>' as const, '>=' as const, '==' as const, 'array-contains' as const),
    field,
    value: plain,
  }),
  fc.record({
    op: fc.constantFrom('in' as const, 'array-contains-any' as const),
    field,
    values: fc.array(plain, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ op: fc.constantFrom('is-null' as const, 'is-nan' as const), field }),
);
/** At most one of these per query, so they occur alone or with one other filter. */
const excluding: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ op: fc.constant('!=' as const), field, value: plain }),
  fc.record({ op: fc.constant('not-in' as const), field, values: fc.array(plain, { minLength: 1, maxLength: 3 }) }),
  fc.record({ op: fc.constantFrom('is-not-null' as const, 'is-not-nan' as const), field }),
);
/** The service rejects two array tests in one conjunction. */
const arrayTests = (one: Condition): number => {
  if (!('parts' in one)) return one.op.startsWith('array') ? 1 : 0;
  const counts = one.parts.map(arrayTests);
  return one.op === 'and' ? counts.reduce((sum, count) => sum + count, 0) : Math.max(...counts);
};
const condition: fc.Arbitrary<Condition> = fc
  .oneof(
    leaf,
    excluding,
    fc.record({ op: fc.constantFrom('and' as const, 'or' as const), parts: fc.array(leaf, { minLength: 1, maxLength: 2 }) }),
    fc.tuple(leaf, leaf, leaf).map(([a, b, c]): Condition => ({ op: 'and', parts: [a, { op: 'or', parts: [b, c] }] })),
  )
  .filter((one) => arrayTests(one) < 2);

const orders = fc.uniqueArray(fc.record({ field: fc.constantFrom('f', 'g', '__name__'), descending: fc.boolean() }), {
  maxLength: 2,
  selector: (order) => order.field,
});

const query: fc.Arbitrary<PlainQuery> = fc.record(
  {
    collection: fc.constantFrom('c', 'd'),
    group: fc.boolean(),
    where: condition,
    orderBy: orders,
    offset: fc.integer({ min: 0, max: 3 }),
    limit: fc.integer({ min: 1, max: 5 }),
  },
  { requiredKeys: ['collection', 'group', 'orderBy'] },
);

const bounds = fc.record({ before: fc.boolean(), values: fc.tuple(plain) });

describe('queries follow the documented rules', () => {
  const check = (property: fc.IProperty<unknown>) =>
    fc.assert(property as fc.IProperty<[]>, {
      numRuns: propertyRuns({ usual: 1_000, fuzz: 3_000 }),
      verbose: fc.VerbosityLevel.Verbose,
    });

  test('filters, orders, groups, offsets and limits agree with the reference evaluator', () => {
    check(fc.property(documents, query, (docs, asked) => assert.deepEqual(run(docs, asked), evaluate(docs, asked))) as never);
  });

  test('cursors on a field agree with the reference evaluator', () => {
    const asked = fc.tuple(
      fc.constantFrom('c', 'd'),
      fc.boolean(),
      fc.option(bounds, { nil: undefined }),
      fc.option(bounds, { nil: undefined }),
    );
    check(
      fc.property(documents, asked, (docs, [collection, descending, startAt, endAt]) => {
        const one: PlainQuery = {
          collection,
          group: true,
          orderBy: [{ field: 'f', descending }],
          ...(startAt && { startAt }),
          ...(endAt && { endAt }),
        };
        assert.deepEqual(run(docs, one), evaluate(docs, one));
      }) as never,
    );
  });

  test('cursors on the document name agree with the reference evaluator', () => {
    const place = fc.record({
      before: fc.boolean(),
      values: fc.tuple(fc.constantFrom(...paths).map((v): Plain => ({ t: 'ref', v }))),
    });
    check(
      fc.property(
        documents,
        fc.boolean(),
        fc.boolean(),
        fc.option(place, { nil: undefined }),
        fc.option(place, { nil: undefined }),
        (docs, group, descending, startAt, endAt) => {
          const one: PlainQuery = {
            collection: 'c',
            group,
            orderBy: [{ field: '__name__', descending }],
            ...(startAt && { startAt }),
            ...(endAt && { endAt }),
          };
          assert.deepEqual(run(docs, one), evaluate(docs, one));
        },
      ) as never,
    );
  });
});
