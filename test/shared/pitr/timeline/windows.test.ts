import assert from 'node:assert/strict';
import { test } from 'vitest';
import {
  baseFor,
  canonicalMoment,
  type Gap,
  microsOf,
  momentOf,
  type PitrRecord,
  windowsOf,
} from '../../../../shared/pitr/index.ts';
import { decideCaptureExpiry } from '../../../../shared/pitr/removal/expire-captures.ts';
import { keptAfter } from '../../../../shared/pitr/settings/capture-retention.ts';

const day = '2030-06-01T';
const at = (time: string): string => `${day}${time}Z`;
const base = (time: string, since = time) => ({ backupId: `bkp_${time}`, readTime: at(time), since: at(since) });
const record = (more: Partial<PitrRecord>): PitrRecord => ({
  pk: 'ORG#o',
  sk: 'PITR#p',
  projectId: 'p',
  status: 'active',
  retentionDays: 7,
  captureIntervalSeconds: 60,
  precision: 'second',
  storageDestination: { id: 'd', name: 'D', type: 's3' },
  enabledAt: at('00:00:00'),
  bases: [],
  comingBaseId: null,
  baseTriedAt: null,
  baseFailures: 0,
  gaps: [],
  capturedTo: null,
  keptFrom: null,
  listedAt: null,
  turn: 1,
  nextTurnAt: null,
  lastCapture: null,
  changesCaptured: 0,
  reads: 0,
  createdBy: { type: 'user', id: 'u' },
  ...more,
});
const now = new Date(at('23:00:00'));
const spans = (pitr: PitrRecord, when = now) =>
  windowsOf(pitr, when).windows.map(({ from, to }) => [from, to].map((one) => one.slice(11, 19)));

test('windows: begin with the second after the base and end with the last captured second', () => {
  assert.deepEqual(spans(record({})), []);
  assert.deepEqual(spans(record({ bases: [base('10:00:00.400000')], capturedTo: at('11:00:00.900000') })), [
    ['10:00:01', '11:00:00'],
  ]);
  assert.deepEqual(spans(record({ bases: [base('10:00:00.400000')], capturedTo: at('10:00:00.900000') })), []);
});

test('windows: an interruption that is not proven is not complete, and both its ends are', () => {
  const sampled = [{ from: at('10:10:00.500000'), to: at('10:10:04') }];
  const pitr = record({ bases: [base('10:00:00')], capturedTo: at('11:00:00'), checkedAt: at('11:00:00'), sampled });
  const shown = windowsOf(pitr, now);
  assert.deepEqual(
    shown.windows.map(({ from, to, complete, collectionCount }) => [
      from.slice(11, 19),
      to.slice(11, 19),
      complete,
      collectionCount,
    ]),
    [
      ['10:00:00', '10:10:00', true, undefined],
      ['10:10:01', '10:10:03', false, 0],
      ['10:10:04', '11:00:00', true, undefined],
    ],
  );
  assert.deepEqual(shown.sampled, [{ from: at('10:10:00.500'), to: at('10:10:04.000') }]);
  // Of one collection only the proven parts are windows.
  assert.equal(windowsOf(pitr, now, { id: 'users', isKnown: true }).windows.length, 2);
});

test('windows: with precision interval a restore uses the last capture, so that quiet times do not split a window', () => {
  const gaps = [{ from: at('10:10:00'), to: at('10:20:00'), reason: 'quiet', isBridged: true, isQuiet: true } as const];
  const pitr = record({ bases: [base('10:00:00')], capturedTo: at('11:00:00'), checkedAt: at('11:00:00'), gaps });
  assert.equal(windowsOf({ ...pitr, precision: 'interval' }, now).windows.length, 1);
  assert.deepEqual(
    windowsOf(pitr, now).windows.map(({ precision }) => precision),
    [undefined, 'interval', undefined],
  );
});

const lost: Gap = { from: at('10:30:00.500000'), to: at('11:00:00.200000'), reason: 'lost' };

test('windows: a loss splits a window, and the next one begins with a base', () => {
  const bases = [base('10:00:00'), base('11:00:00.200000')];
  const pitr = record({ bases, gaps: [lost], capturedTo: at('12:00:00') });
  assert.deepEqual(spans(pitr), [
    ['10:00:00', '10:30:00'],
    ['11:00:01', '12:00:00'],
  ]);
  assert.equal(baseFor(pitr, at('10:30:00'))?.backupId, bases[0]!.backupId);
  assert.equal(baseFor(pitr, at('10:45:00')), undefined);
  assert.equal(baseFor(pitr, at('11:30:00'))?.backupId, bases[1]!.backupId);
  const lasting = record({ bases: bases.slice(0, 1), gaps: [{ ...lost, to: null }], capturedTo: at('10:30:00.500000') });
  assert.deepEqual(spans(lasting), [['10:00:00', '10:30:00']]);
});

test('windows: a bridged gap has interval precision and needs no new base', () => {
  const pitr = record({ bases: [base('10:00:00')], gaps: [{ ...lost, isBridged: true }], capturedTo: at('12:00:00') });
  assert.deepEqual(spans(pitr), [
    ['10:00:00', '10:30:00'],
    ['10:30:01', '11:00:00'],
    ['11:00:01', '12:00:00'],
  ]);
  const { windows, gaps } = windowsOf(pitr, now);
  assert.deepEqual([windows.map(({ precision }) => precision), gaps], [[undefined, 'interval', undefined], []]);
  assert.equal(baseFor(pitr, at('11:30:00'))?.backupId, pitr.bases[0]!.backupId);
});

test('windows: gaps apply in any order of recording, and no missing base is used', () => {
  const bridged: Gap = { from: at('10:00:00'), to: at('10:01:00'), reason: 'bridged', isBridged: true };
  const gone: Gap = { from: at('09:00:00'), to: at('11:00:00'), reason: 'the base backup is gone' };
  const bases = [base('08:00:00'), base('11:00:00')];
  const expected = [
    ['08:00:00', '09:00:00'],
    ['11:00:00', '12:00:00'],
  ];
  for (const gaps of [
    [bridged, gone],
    [gone, bridged],
  ])
    assert.deepEqual(spans(record({ bases, capturedTo: at('12:00:00'), gaps })), expected);
  // A bridged gap around a loss does not bridge the loss.
  const around: Gap = { ...bridged, from: at('08:30:00'), to: at('10:30:00') };
  assert.deepEqual(spans(record({ bases, capturedTo: at('12:00:00'), gaps: [around, { ...gone, to: at('10:00:00') }] })), [
    ['08:00:00', '08:30:00'],
    ['08:30:01', '09:00:00'],
    ['11:00:00', '12:00:00'],
  ]);
});

test('windows: gaps of some collections are listed, and windows name the complete collections', () => {
  const bases = [base('10:00:00')];
  const of = (...collections: readonly string[]): Gap => ({ ...lost, collections });
  const shown = (more: Partial<PitrRecord>) => {
    const pitr = record({ bases, capturedTo: at('12:00:00'), checkedAt: at('12:00:00'), known: ['a', 'b', 'c'], ...more });
    const { windows, gaps } = windowsOf(pitr, now);
    const shown = windows.map(({ from, to, collections }) => [from.slice(11, 19), to.slice(11, 19), collections]);
    return [...shown, gaps.map(({ collections }) => collections)];
  };
  const before = ['10:00:00', '10:30:00', undefined];
  const after = ['11:00:01', '12:00:00', undefined];
  assert.deepEqual(shown({ gaps: [of('a')] }), [before, ['10:30:01', '11:00:00', ['b', 'c']], after, [['a']]]);
  // Overlapping gaps exclude both; a gap of unknown collections leaves none known to be complete.
  const longer: Gap = { ...of('b'), from: at('10:45:00'), to: null };
  assert.deepEqual(shown({ gaps: [of('a'), longer] }), [
    before,
    ['10:30:01', '10:45:00', ['b', 'c']],
    ['10:45:01', '11:00:00', ['c']],
    ['11:00:01', '12:00:00', ['a', 'c']],
    [['a'], ['b']],
  ]);
  assert.deepEqual(shown({ gaps: [of()] }), [before, ['10:30:01', '11:00:00', []], after, [[]]]);
  // An unchecked period names the captured collections.
  assert.deepEqual(shown({ gaps: [of()], checkedAt: at('10:50:00'), known: ['a'] }).slice(2), [
    ['10:50:01', '11:00:00', ['a']],
    ['11:00:01', '12:00:00', ['a']],
    [[]],
  ]);
});

test('windows: nothing beyond the retention, and nothing deleted, is offered', () => {
  const pitr = record({ bases: [base('10:00:00')], capturedTo: at('12:00:00'), retentionDays: 1, status: 'disabled' });
  assert.deepEqual(spans(pitr, new Date('2030-06-02T11:30:00.500Z')), [['11:30:01', '12:00:00']]);
  assert.deepEqual(spans(pitr, new Date('2030-06-02T12:00:01Z')), []);
  assert.deepEqual(spans({ ...pitr, keptFrom: at('11:00:00') }), [['11:00:00', '12:00:00']]);
});

test('windows: bases are kept while a batch may need their key, and windows shrink before anything is deleted', () => {
  const bases = [base('10:00:00'), base('11:00:00', '11:20:00'), base('13:00:00', '13:20:00')];
  const pitr = record({
    bases,
    capturedTo: at('14:00:00'),
    retentionDays: 1,
    gaps: [{ ...lost, to: at('10:50:00'), collections: ['a'] }],
  });
  const later = (time: string) => new Date(`2030-06-03T${time}Z`);
  assert.equal(decideCaptureExpiry(pitr, { now: later('09:00:00') }), undefined);
  assert.deepEqual(decideCaptureExpiry(pitr, { now: later('11:30:00') }), { keptFrom: at('11:00:00'), bases, gaps: [] });
  assert.deepEqual(decideCaptureExpiry(pitr, { now: later('13:30:00') })?.bases, bases.slice(1));
  assert.equal(decideCaptureExpiry({ ...pitr, keptFrom: at('13:00:00') }, { now: later('13:30:00') }), undefined);
  const ended = { ...pitr, status: 'disabled' as const };
  assert.deepEqual(decideCaptureExpiry(ended, { now: later('14:00:00') }), { keptFrom: at('14:00:00'), bases: [], gaps: [] });
});

test('windows: captures are kept for a week after the retention is reduced, and offered again if that is reverted', () => {
  const bases = [base('10:00:00'), base('13:00:00', '13:20:00')];
  const before = record({ bases, capturedTo: at('14:00:00'), retentionDays: 30 });
  const when = new Date('2030-06-20T00:00:00Z');
  const less = (pitr: PitrRecord, days: number, on: Date): PitrRecord => ({
    ...pitr,
    retentionDays: days,
    keptDays: keptAfter(pitr, days, on),
  });
  const changed = less(before, 1, when);
  assert.deepEqual([windowsOf(changed, when).windows, decideCaptureExpiry(changed, { now: when })], [[], undefined]);
  // A second reduction, or a small increase, does not shorten that time.
  for (const again of [less(changed, 2, when), less(less(changed, 2, when), 1, when)])
    assert.equal(decideCaptureExpiry(again, { now: new Date('2030-06-26T23:59:59Z') }), undefined);
  assert.equal(spans(less(changed, 30, when), when).length, 1);
  assert.equal(less(changed, 30, when).keptDays, undefined);
  assert.equal(decideCaptureExpiry(changed, { now: new Date('2030-06-27T00:00:01Z') })?.keptFrom, at('13:00:00'));
});

test('moments: are exact to the microsecond and have one canonical spelling', () => {
  assert.equal(canonicalMoment('2030-06-01T10:00:00.12Z'), '2030-06-01T10:00:00.120000Z');
  assert.equal(momentOf(microsOf('2254-12-31T23:59:59.999999Z')), '2254-12-31T23:59:59.999999Z');
  assert.equal(microsOf('1970-01-01T00:00:01.000001Z'), 1_000_001);
  assert.throws(() => microsOf('2030-06-01'));
});
