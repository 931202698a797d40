import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { samplesOf, searchVersions } from '../../../../shared/pitr/coverage/version-search.ts';

const second = 1_000_000;

interface Version {
  readonly updated: number;
  readonly created: number;
}

/** A document's history: versions and at most one absence, ascending in time; undefined means deleted from then on. */
const course = fc
  .record({
    moments: fc.uniqueArray(fc.integer({ min: -5 * second, max: 60 * second }), { minLength: 1, maxLength: 12 }),
    goneFrom: fc.option(fc.nat(11), { nil: undefined }),
    goneFor: fc.integer({ min: 1, max: 12 }),
  })
  .map(({ moments, goneFrom, goneFor }) => {
    const steps: { readonly at: number; readonly version: Version | undefined }[] = [];
    let created: number | undefined;
    // It exists at first, or is created and stays: a life between two captures is not observed.
    for (const [n, at] of [-6 * second, ...moments.sort((a, b) => a - b)].entries()) {
      const isGone = goneFrom !== undefined && n >= goneFrom && n < goneFrom + goneFor;
      created = isGone ? undefined : (created ?? at);
      steps.push({ at, version: created === undefined ? undefined : { updated: at, created } });
    }
    return steps;
  });

test('version search: finds the version at every sample', () => {
  fc.assert(
    fc.property(course, fc.boolean(), fc.integer({ min: 40 * second, max: 60 * second }), (steps, isEverySecond, more) => {
      const [from, to] = [100, 60 * second + 7];
      const at = (moment: number) => steps.findLast((step) => step.at <= moment)?.version;
      const samples = samplesOf(from, { to, isEverySecond, others: [more] });
      const found: { readonly at: number; readonly version: Version | undefined }[] = [{ at: from, version: at(from) }];
      const last = at(to);
      // Unchanged documents are not reported.
      if (last?.updated === at(from)?.updated && !steps.some((step) => step.at > from && step.at <= to)) return;
      if (last && last.updated > from) found.push({ at: last.updated, version: last });
      const walk = searchVersions({ from, to, samples }, last);
      let looks = 0;
      for (let step = walk.next(); !step.done; ) {
        if ('goneSince' in step.value) {
          found.push({ at: step.value.goneSince, version: undefined });
          step = walk.next();
          continue;
        }
        const version = at(step.value.look);
        looks += 1;
        if (version && version.updated > from) found.push({ at: version.updated, version });
        step = walk.next(version);
      }
      found.sort((a, b) => a.at - b.at);
      for (const sample of [...samples, to])
        assert.deepEqual(found.findLast((one) => one.at <= sample)?.version, at(sample), `at ${sample}`);
      assert.ok(looks <= 2 * steps.length + 16, `${looks} looks`);
    }),
    { numRuns: 2_000 },
  );
});

test('version search: a created document is looked up once, at the start', () => {
  const walk = searchVersions(
    { from: 0, to: 60 * second, samples: samplesOf(0, { to: 60 * second, isEverySecond: true, others: [] }) },
    { updated: 9_500_000, created: 9_500_000 },
  );
  assert.deepEqual(walk.next().value, { look: 0 });
  assert.equal(walk.next(undefined).done, true);
});

test('version search: without samples nothing is looked up', () => {
  assert.equal(searchVersions({ from: 0, to: 60 * second, samples: [] }, { updated: 50, created: 50 }).next().done, true);
  const gone = searchVersions({ from: 0, to: 60 * second, samples: [] }, undefined);
  assert.deepEqual(gone.next().value, { goneSince: 60 * second });
  assert.equal(gone.next().done, true);
});

test('version search: a stored version that no sample meets gets its end, too', () => {
  const [from, to] = [0, 100 * second + 7];
  const life = { updated: 9_200_000, created: 9_200_000 };
  const at = (moment: number) => (moment >= life.created && moment < 10_800_000 ? life : undefined);
  for (const last of [undefined, { updated: 50_500_000, created: 50_500_000 }]) {
    const gone: number[] = [];
    const walk = searchVersions(
      { from, to, samples: samplesOf(from, { to, isEverySecond: true, others: [] }), versions: last ? [life, last] : [life] },
      last,
    );
    for (let step = walk.next(); !step.done; )
      if ('goneSince' in step.value) {
        gone.push(step.value.goneSince);
        step = walk.next();
      } else step = walk.next(at(step.value.look));
    assert.deepEqual(gone, [11 * second]);
  }
});
