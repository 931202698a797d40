/** Random writes at known times, captured by workers that crash, overlap and lose their position: every offered second is restored as it was. */
import { deepEqual, ok, rejects } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { buildPointInMemory, planPoint, pointBackupRecord, windowsOf } from '../../../../shared/pitr/index.ts';
import { after, newId } from '../../../../shared/platform/index.ts';
import { createPointInTimeEnv } from '../../../harness/env/point-in-time-env.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';

const t = await createPointInTimeEnv();

const paths = ['users/a', 'users/b', 'users/b/notes/n', 'users/__id7__', 'shops/a', 'shops/a/notes/n', 'new/root'];
const text = (stringValue: string) => ({ text: { stringValue } });

type Step =
  | { readonly kind: 'write'; readonly path: string; readonly isGone: boolean }
  | { readonly kind: 'cycle' }
  | { readonly kind: 'overlap' }
  | { readonly kind: 'expire' }
  | { readonly kind: 'base' }
  | { readonly kind: 'crash'; readonly at: number; readonly when: 'before' | 'after' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ kind: fc.constant('write' as const), path: fc.constantFrom(...paths), isGone: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('cycle' as const, 'overlap' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('expire' as const, 'base' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('crash' as const),
      at: fc.integer({ min: 1, max: 6 }),
      when: fc.constantFrom('before' as const, 'after' as const),
    }),
  },
);

/** The source now and at each second. Documents that exist only between two cycles cannot be observed. */
class Model {
  readonly now = new Map<string, string>();
  readonly at = new Map<string, ReadonlyMap<string, string>>();
  readonly #createdMs = new Map<string, number>();
  readonly #goneMs = new Map<string, number>();
  #capturedMs = 0;
  #texts = 0;

  /** Deletes it if it existed at the last capture and was not deleted since. */
  change(path: string, isGone: boolean, ms: number): Record<string, ReturnType<typeof text> | undefined> {
    const wasThere = (this.#createdMs.get(path) ?? ms) <= this.#capturedMs;
    if (isGone && this.now.has(path) && wasThere && (this.#goneMs.get(path) ?? 0) <= this.#capturedMs) {
      this.#goneMs.set(path, ms);
      this.now.delete(path);
      return { [path]: undefined };
    }
    const value = String(++this.#texts);
    if (!this.now.has(path)) this.#createdMs.set(path, ms);
    this.now.set(path, value);
    return { [path]: text(value) };
  }

  second(moment: string): void {
    this.at.set(moment, new Map(this.now));
  }

  captured(moment: string | null): void {
    this.#capturedMs = Date.parse(moment ?? '1970-01-01T00:00:00Z');
  }
}

const run = async (model: Model, one: Step): Promise<void> => {
  if (one.kind === 'write') await t.put(model.change(one.path, one.isGone, t.nowMs()));
  else if (one.kind === 'cycle') await t.runCycle();
  else if (one.kind === 'overlap') await Promise.all([t.runCycle(), t.runCycle()]);
  else if (one.kind === 'expire')
    t.server.databases.open({ projectId: t.sourceProjectId, databaseId: '(default)' }).expireSnapshots();
  else if (one.kind === 'base') await t.takeBackup();
  else {
    new CrashingMachine(one.at, one.when).attach(t);
    await t.runCycle().catch(() => undefined);
    new CrashingMachine().attach(t);
  }
  model.captured(t.pitr.capturedTo);
  model.second(t.nextSecond());
};

const pointAt = async (second: string): Promise<ReadonlyMap<string, string>> => {
  const now = t.clock.now();
  const plan = await planPoint(t.tenant, { projectId: t.projectId, request: { pointInTime: second }, now });
  const identity = { id: newId('backup'), path: 'point', createdAt: now.toISOString(), createdBy: { type: 'user', id: 'u' } };
  const clock = t.clock;
  const made = await buildPointInMemory(t.tenant, {
    backup: pointBackupRecord(t.tenant, plan, identity),
    plan,
    deps: t.deps,
    until: after(now, 60),
    clock,
  });
  return t.contentsOf(made.backup, made.deps);
};

test('point in time: every second of every window is restored as it was, and every other one is refused', async () => {
  let offered = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 20 }), async (steps) => {
      const model = new Model();
      for (const path of paths.slice(0, 4)) model.change(path, false, 0);
      await t.startCaptures(Object.fromEntries([...model.now].map(([path, value]) => [path, text(value)])));
      model.captured(t.pitr.capturedTo);
      model.second(t.nextSecond());
      for (const one of steps) await run(model, one);
      // A loss ends with the next base.
      await t.runCycle();
      await t.takeBackup();
      for (let n = 0; n < 3; n++) await t.runCycle();
      const { windows } = windowsOf(t.pitr, t.clock.now());
      for (const [second, there] of model.at) {
        const isOffered = windows.some(({ from, to }) => from <= second && second <= to);
        if (!isOffered) await rejects(pointAt(second), /cannot be restored/);
        else {
          offered += 1;
          const expected = new Map([...there].map(([path, value]) => [path, fieldsOf(value)]));
          deepEqual(new Map([...(await pointAt(second))].sort()), new Map([...expected].sort()), second);
        }
      }
    }),
    { numRuns: 5 },
  );
  ok(offered > 15, `only ${offered} seconds were offered`);
});

/** Like `bareFields`: string_value is field 17. */
const fieldsOf = (value: string): string =>
  JSON.stringify([['text', Buffer.concat([Buffer.from([0x8a, 1, value.length]), Buffer.from(value)]).toString('hex')]]);
