/** For any backup and any later edits: a rollback yields the backup, and its undo the edits. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { proto } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import { anyCharacter } from '../../../harness/builders/any-character.ts';
import { propertyRuns } from '../../../harness/builders/property-runs.ts';
import { createRestoreEnv, type Fields } from '../../../harness/env/restore-env.ts';

const t = await createRestoreEnv();

type Value = Fields[string];

const leaf: fc.Arbitrary<Value> = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((integerValue) => ({ integerValue })),
  fc.double().map((doubleValue) => ({ doubleValue })),
  fc.string({ unit: anyCharacter, maxLength: 20 }).map((stringValue) => ({ stringValue })),
  fc.boolean().map((booleanValue) => ({ booleanValue })),
  fc.uint8Array({ maxLength: 10 }).map((bytesValue) => ({ bytesValue })),
  fc.constant({ nullValue: 0 } as unknown as Value),
);
const fieldName = fc.oneof(
  fc.constantFrom('a', 'b', 'with.dot', '`ticks`', 'back\\slash', 'ä ö'),
  fc.string({ minLength: 1, maxLength: 4 }),
);
const isName = (name: string): boolean => !/^__.*__$/.test(name);
const mapOf = (values: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.dictionary(fieldName.filter(isName), values, { maxKeys: 3 }).map((fields) => ({
    mapValue: { fields: new Map(Object.entries(fields).map(([name, value]) => [name, proto.Value.encode(value)])) },
  }));
const value = fc.oneof(
  { weight: 3, arbitrary: leaf },
  { weight: 1, arbitrary: mapOf(fc.oneof(leaf, mapOf(leaf))) },
  {
    weight: 1,
    arbitrary: fc
      .array(leaf, { maxLength: 3 })
      .map((values) => ({ arrayValue: { values: values.map((one) => proto.Value.encode(one)) } })),
  },
);
const document: fc.Arbitrary<Fields> = fc.dictionary(fieldName.filter(isName), value, { maxKeys: 4 });

/** Few ids, so that edits hit existing documents; numeric ids sort differently. */
const id = fc.constantFrom('a', 'b', 'B', 'c c', '__id7__', '__id-3__', 'ü', 'a/x/b', 'a/x/__id2__/y/c');
const path = fc.tuple(fc.constantFrom('one', 'two', 'Three'), id).map(([collection, rest]) => `${collection}/${rest}`);
const tree = fc.dictionary(path, document, { maxKeys: 12, noNullPrototype: true });
const edits = fc.dictionary(path, fc.option(document, { nil: undefined }), { maxKeys: 12, noNullPrototype: true });

for (const [target, of] of [
  [t.projectId, 'source'],
  [t.targetId, 'target'],
] as const)
  test(`restore: a random tree, backed up, edited and rolled back into ${of === 'source' ? 'its own' : 'another'} database equals the backup, and undone the edits`, async () => {
    await fc.assert(
      fc.asyncProperty(tree, edits, async (before, changes) => {
        fc.pre(Object.keys(before).length > 0);
        t.reset();
        await t.put(before);
        const backup = await t.takeBackup();
        const wanted = t.fieldsOf('source');
        await (of === 'source' ? t.put(changes) : t.putTarget(changes));
        const edited = t.fieldsOf(of);
        const done = await t.restore(backup, { mergeMode: 'rollback', targetProjectId: target });
        assert.equal(done.status, 'completed', JSON.stringify(done.error));
        assert.deepEqual(t.fieldsOf(of), wanted);
        const { plan, written, deleted, raced, failed } = done;
        assert.equal(written + deleted + raced + failed, plan!.create + plan!.overwrite + plan!.delete);
        assert.equal(written + plan!.unchanged, wanted.size);
        if (written + deleted === 0) return;
        const undo = await t.restore(t.backupOf(done.journal.backupId), {
          mergeMode: 'rollback',
          undoOf: done.id,
          targetProjectId: target,
        });
        assert.equal(undo.status, 'completed', JSON.stringify(undo.error));
        assert.deepEqual(t.fieldsOf(of), edited);
      }),
      { numRuns: propertyRuns({ quick: 3, usual: 8 }) },
    );
  });
