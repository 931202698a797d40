/** Which moments can be restored, and from which base: never beyond what is known. */
import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { ApiError } from '../../../../shared/contract/errors.ts';
import {
  microsOf,
  momentOf,
  type PitrRecord,
  type PointRequest,
  requestedSecond,
  resolvePoint,
} from '../../../../shared/pitr/index.ts';
import { doubtAt } from '../../../../shared/pitr/point/resolve-point.ts';
import { withGaps } from '../../../../shared/pitr/timeline/gaps.ts';

const at = (time: string): string => `2026-03-01T${time}Z`;
const now = new Date(at('14:00:00'));
const gap = (from: string, to: string | null, more: object = {}) => ({
  from: at(from),
  to: to === null ? null : at(to),
  reason: 'the token was lost',
  ...more,
});

const record = (more: Partial<PitrRecord> = {}): PitrRecord =>
  ({
    retentionDays: 7,
    bases: [
      { backupId: 'first', readTime: at('10:00:00.500000'), since: at('10:00:00.500000') },
      { backupId: 'second', readTime: at('12:00:00.250000'), since: at('12:00:10') },
    ],
    gaps: [],
    capturedTo: at('13:30:00.750000'),
    checkedAt: at('13:30:00.750000'),
    keptFrom: null,
    nextTurnAt: at('13:31:00'),
    ...more,
  }) as PitrRecord;

const point = (time: string, more: Partial<PitrRecord> = {}, batches: Parameters<typeof resolvePoint>[1] = [], request = {}) => {
  const { moment, base, isPartial } = resolvePoint(record(more), batches, {
    request: { pointInTime: at(time), ...request },
    now,
  });
  return [moment.slice(11, -1), base.backupId, ...(isPartial ? ['partial'] : [])];
};

/** A moment that is not proven for everything that was requested. */
const uncounted = { checkedAt: at('12:45:00') };

test('restore point: everything at a moment that was not counted yet is refused, and answered once it is counted', () => {
  refused(() => point('13:00:00', uncounted), /not counted yet .* follows with the capture of 2026-03-01T13:31:00Z/, {
    collections: [],
    count: null,
    complete: false,
    countRequested: true,
    latestComplete: at('12:45:00.000'),
  });
  refused(() => point('13:00:00', uncounted, [], { named: ['users'] }), /not counted yet/);
  deepEqual(point('12:45:00', uncounted), ['12:45:00.000000', 'second']);
  deepEqual(point('13:00:00', uncounted, [], { named: ['users'], collectionIds: ['users'] }), ['13:00:00.000000', 'second']);
  deepEqual(point('13:00:00'), ['13:00:00.000000', 'second']);
});

test('restore point: a partial restore is resolved only if it is allowed, and names what it lacks', () => {
  const ids = Array.from({ length: 120 }, (_, n) => `c${n}`);
  const gaps = [gap('12:50:00', null, { collections: ids.slice(0, 3), count: 4_000, lists: ['l'] })];
  const lacks = (more: Partial<PitrRecord>, request = {}) =>
    resolvePoint(record(more), [], { request: { pointInTime: at('13:00:00'), allowPartial: true, ...request }, now });
  const some = lacks({ gaps });
  deepEqual(some.uncovered, { collections: ['c0', 'c1', 'c2'], count: 4_000, complete: false, reason: 'the token was lost' });
  deepEqual([some.isPartial, some.isUnchecked], [true, true]);
  refused(() => point('13:00:00', { gaps }), /missing: c0, c1, c2 and 3990 more/, { count: 4_000, complete: false });
  const all = lacks({ gaps: [gap('12:50:00', null, { collections: ids })] }).uncovered!;
  deepEqual([all.collections.length, all.count, all.complete], [100, 120, false]);
  const [few, unknown] = [lacks({ gaps: [gap('12:50:00', null, { collections: ['deep'] })] }), lacks(uncounted)];
  deepEqual([few.uncovered!.complete, unknown.uncovered!.complete, unknown.uncovered!.count], [true, false, null]);
  deepEqual(lacks({}).uncovered, undefined);
  deepEqual(lacks({ gaps }, { collectionIds: ['users'] }).uncovered, undefined);
  // At the root a missing document usually did not exist; in a collection with a gap it may have.
  const atRoot = lacks({ gaps: [gap('12:50:00', null, { collections: ['flash'], isAtRoot: true })] });
  deepEqual(atRoot.absenceUnknown, ['flash']);
});

test('restore point: a moment within an interruption is refused, or says so; its ends are exact', () => {
  const sampled = [{ from: at('12:50:00.500000'), to: at('12:51:00.250000') }];
  const span = { from: at('12:50:00.500'), to: at('12:51:00.250') };
  const message = /created and deleted within an interruption .*sampled: .* Choose a moment up to .*12:50:00.500Z or from/;
  refused(() => point('12:50:30', { sampled }), message, { sampled: span, collections: [], count: null, complete: false });
  // Any collection may lack documents.
  refused(() => point('12:50:30', { sampled }, [], { named: ['users'], collectionIds: ['users'] }), message, { sampled: span });
  deepEqual(point('12:50:00', { sampled }), ['12:50:00.000000', 'second']);
  deepEqual(point('12:51:01', { sampled }), ['12:51:01.000000', 'second']);
  const request = { pointInTime: at('12:50:30'), allowPartial: true };
  const { uncovered, lacks, isPartial, absenceUnknown } = resolvePoint(record({ sampled }), [], { request, now });
  deepEqual([uncovered, isPartial, absenceUnknown], [lacks, true, ['**']]);
  deepEqual(uncovered, {
    collections: [],
    count: null,
    complete: false,
    reason: `sampled: not captured continuously from ${span.from} to ${span.to}`,
    sampled: span,
  });
});

test('restore point: where nothing changed from one capture to the next, the first of these captures is used', () => {
  const gaps = [gap('12:50:00.500000', '12:59:00', { isBridged: true, isQuiet: true })];
  deepEqual(point('12:55:00', { gaps }), ['12:50:00.500000', 'second']);
  deepEqual(point('12:59:00', { gaps }), ['12:59:00.000000', 'second']);
});

for (const precision of ['interval', 'second'] as const)
  test(`restore point: 700 captures with a change and 700 without in turn, precision ${precision}: no change before the moment is left out`, () => {
    const first = microsOf(at('00:00:00.500000'));
    const cycle = (n: number) => ({ from: momentOf(first + n * 30_000_000), to: momentOf(first + (n + 1) * 30_000_000) });
    const batches = Array.from({ length: 700 }, (_, n) => ({ ...cycle(2 * n), isProven: false }));
    let gaps: PitrRecord['gaps'] = [];
    for (let n = 0; n < 1_400; n++) {
      const isQuiet = n % 2 === 1;
      if (!isQuiet && precision === 'interval') continue;
      gaps = withGaps(gaps, {
        ...cycle(n),
        reason: 'nothing changed from one capture to the next',
        isBridged: true,
        ...(isQuiet && { isQuiet }),
      });
    }
    ok(gaps.length < (precision === 'interval' ? 700 : 1_400), 'old gaps are merged');
    const base = { backupId: 'first', readTime: cycle(0).from, since: cycle(0).from };
    const captured = record({ precision, gaps, bases: [base], capturedTo: cycle(1_399).to, checkedAt: cycle(1_399).to });
    const known = new Set(Array.from({ length: 1_401 }, (_, n) => cycle(n).from));
    for (let second = first + 500_000; second <= microsOf(cycle(1_399).to); second += 701_000_000) {
      const { moment } = resolvePoint(captured, batches, { request: { pointInTime: momentOf(second) }, now });
      ok(known.has(moment) && microsOf(moment) <= second, `${moment} is not known at ${momentOf(second)}`);
      const ended = (by: number) => batches.filter(({ to }) => microsOf(to) <= by).length;
      equal(ended(microsOf(moment)), ended(second), `${moment} lacks changes before ${momentOf(second)}`);
    }
  });

const refused = (work: () => unknown, message: RegExp, details: object = {}) =>
  throws(work, (error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    equal(error.code, 'CONFLICT');
    for (const [field, value] of Object.entries(details)) deepEqual(error.details?.[field], value);
    return message.test(error.message);
  });

test('restore point: a moment resolves to its second and the newest base before', () => {
  deepEqual(point('10:00:01'), ['10:00:01.000000', 'first']);
  deepEqual(point('11:59:59.999'), ['11:59:59.000000', 'first']);
  deepEqual(point('12:00:00.900'), ['12:00:00.000000', 'first']);
  deepEqual(point('12:00:01'), ['12:00:01.000000', 'second']);
  deepEqual(point('13:30:00.999'), ['13:30:00.000000', 'second']);
  equal(requestedSecond({ pointInTime: '2026-03-01T13:00:01.5+02:00' }, now), at('11:00:01.000000'));
  equal(requestedSecond({ pointInTime: '2026-03-01' }, now), at('00:00:00.000000'));
});

test('restore point: a moment before the first base, after the last capture or in the future is refused with the range', () => {
  const reach = { earliest: at('10:00:01.000'), latest: at('13:30:00.000') };
  refused(() => point('10:00:00'), /earliest moment is 2026-03-01T10:00:01/, { ...reach, pointInTime: at('10:00:00.000') });
  refused(() => point('13:30:01'), /latest moment is 2026-03-01T13:30:00/, reach);
  refused(() => point('12:00:00', { bases: [], capturedTo: null }), /nothing is captured/, { earliest: null, latest: null });
  throws(() => point('14:00:00.001'), /must not be in the future/);
});

test('restore point: a moment in a gap is refused with the gap; its ends, and moments after the closing base, are not', () => {
  const gaps = { gaps: [gap('11:00:00.100000', '12:00:00.250000')] };
  deepEqual(point('11:00:00', gaps), ['11:00:00.000000', 'first']);
  refused(() => point('11:00:01', gaps), /in a gap: the token was lost/, {
    gap: { from: at('11:00:00.100'), to: at('12:00:00.250'), reason: 'the token was lost' },
  });
  refused(() => point('12:00:00', gaps), /in a gap/);
  deepEqual(point('12:00:01', gaps), ['12:00:01.000000', 'second']);
  refused(() => point('13:30:00', { gaps: [gap('13:00:00', null)], capturedTo: at('13:00:00') }), /in a gap/);
});

test('restore point: where not every second is known it resolves to the last known moment of the same base', () => {
  const gaps = { gaps: [gap('12:30:00.5', '12:31:09.5', { isBridged: true })] };
  // Some collections were captured ten seconds further: after the end of the batch only that end is known.
  const unproven = { from: at('12:30:00.5'), to: at('12:30:59.5'), isProven: false, heardTo: at('12:31:09.5') };
  const next = { from: unproven.to, to: at('12:31:59.5'), isProven: true };
  const spans = [unproven, next];
  deepEqual(point('12:30:30', gaps, spans), ['12:30:00.500000', 'second']);
  deepEqual(point('12:31:05', gaps, spans), ['12:30:59.500000', 'second']);
  deepEqual(point('12:31:10', gaps, spans), ['12:31:10.000000', 'second']);
  deepEqual(point('13:00:00', gaps, spans), ['13:00:00.000000', 'second']);
  // The resolved moment may lie in a gap although the requested second does not.
  const lost = gap('12:29:00', '12:30:10', { collections: ['deep'] });
  refused(() => point('12:30:30', { gaps: [...gaps.gaps, lost] }, spans), /collections are missing: deep/);
});

test('restore point: a gap of some collections refuses requests that include them, and makes others partial', () => {
  const gaps = { gaps: [gap('10:30:00', '12:00:00.250000', { collections: ['deep'] })] };
  const wanting = (collectionIds?: readonly string[]): Partial<PointRequest> => ({ collectionIds });
  refused(() => point('11:00:00', gaps), /missing: deep/);
  refused(() => point('11:00:00', gaps, [], wanting(['users', 'deep'])), /missing: deep/);
  deepEqual(point('11:00:00', gaps, [], wanting(['users'])), ['11:00:00.000000', 'first', 'partial']);
  deepEqual(point('10:30:00', gaps), ['10:30:00.000000', 'first']);
  deepEqual(point('12:00:01', gaps), ['12:00:01.000000', 'second']);
});

test('restore point: within an unproven batch it resolves to its start, or to a base within', () => {
  const batch = (from: string, to: string, isProven = false) => ({ from: at(from), to: at(to), isProven });
  deepEqual(point('11:00:30', {}, [batch('11:00:00.100000', '11:01:00.100000')]), ['11:00:00.100000', 'first']);
  deepEqual(point('11:00:30', {}, [batch('11:00:00.100000', '11:01:00.100000', true)]), ['11:00:30.000000', 'first']);
  deepEqual(point('11:01:00', {}, [batch('11:00:00', '11:01:00')]), ['11:01:00.000000', 'first']);
  deepEqual(point('12:00:20', {}, [batch('11:59:50', '12:00:50')]), ['12:00:00.250000', 'second']);
});

test('restore point: requested collections that were not captured are in doubt, unless a batch contains them or coverage was checked', () => {
  const doubt = (named: readonly string[], more: Partial<PitrRecord> = {}, heard: readonly string[] = []) => {
    const batches = heard.map((id) => ({ collections: JSON.stringify([id]) }));
    const asked = { moment: at('13:00:00.000000'), request: { pointInTime: at('13:00:00'), named } };
    return doubtAt(record(more), batches, { ...asked, now })?.collectionIds;
  };
  const unchecked = { checkedAt: at('12:45:00') };
  const unknown = { gaps: [gap('12:30:00', null, { collections: [] })] };
  const asked = ['users', 'users/a/late', 'shops/b/late', 'users/a/deep'];
  deepEqual(doubt(asked, unchecked), ['late', 'deep']);
  deepEqual(doubt(asked, unknown), ['late', 'deep']);
  deepEqual(doubt(asked, unknown, ['deep']), ['late']);
  deepEqual(doubt(['users'], unknown), undefined);
  deepEqual(doubt(asked), undefined);
});
