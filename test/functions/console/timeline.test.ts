/** The timeline of point-in-time recovery: what it says about a moment, and how it zooms. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { ticksOf } from '../../../functions/console/app/pages/project/point-in-time/axis-ticks.ts';
import {
  coverageOf,
  latestOf,
  mergeClose,
  stateAt,
} from '../../../functions/console/app/pages/project/point-in-time/coverage.ts';
import { clampView, panView, revealMoment, zoomView } from '../../../functions/console/app/pages/project/point-in-time/view.ts';

const at = (time: string): number => Date.parse(`2026-11-16T${time}Z`);
const moment = (time: string): string => `2026-11-16T${time}.000Z`;

const coverage = coverageOf(
  {
    windows: [
      { from: moment('08:00:00'), to: moment('08:00:00'), complete: true },
      { from: moment('08:00:01'), to: moment('08:09:59'), complete: false, collections: [], collectionCount: 0 },
      { from: moment('08:10:00'), to: moment('08:59:59'), complete: true },
      { from: moment('09:00:00'), to: moment('09:29:59'), complete: false, collections: ['users'], collectionCount: 1 },
      { from: moment('10:00:00'), to: moment('10:30:00'), complete: true, precision: 'interval' },
      { from: moment('10:30:01'), to: moment('10:40:00'), complete: false, collections: [], collectionCount: 0 },
    ],
    gaps: [
      { from: moment('08:59:59'), to: moment('09:30:00'), reason: 'not captured', collections: ['notes'], collectionCount: 1 },
      { from: moment('09:30:00'), to: moment('10:00:00'), reason: 'the source forgot the position' },
      { from: moment('10:30:00'), to: null, reason: 'unknown collections', collections: [], collectionCount: null },
    ],
    diverged: [],
    sampled: [{ from: moment('08:00:00'), to: moment('08:10:00') }],
    collections: { count: 2, ids: ['notes', 'users'] },
    undetectedUpToSeconds: 20,
  },
  at('10:45:00'),
);

test('timeline: a moment is complete, partial or not restorable, with the reasons', () => {
  const shown = (time: string) => {
    const { kind, gaps, isSampled, window } = stateAt(coverage, at(time));
    return [kind, gaps.map(({ reason }) => reason), isSampled, window?.isInterval];
  };
  deepEqual(shown('08:05:00'), ['partial', [], true, false]);
  deepEqual(shown('08:10:00'), ['complete', [], false, false]);
  deepEqual(shown('08:59:59'), ['complete', [], false, false]);
  deepEqual(shown('09:00:00'), ['partial', ['not captured'], false, false]);
  deepEqual(shown('09:45:00'), ['none', ['the source forgot the position'], false, undefined]);
  deepEqual(shown('10:15:00'), ['complete', [], false, true]);
  deepEqual(shown('10:35:00'), ['partial', ['unknown collections'], false, false]);
});

test('timeline: a moment that cannot be restored names its nearest neighbours', () => {
  const { before, after } = stateAt(coverage, at('09:45:00'));
  deepEqual([before, after], [at('09:29:59'), at('10:00:00')]);
  deepEqual(stateAt(coverage, at('07:00:00')).before, undefined);
  deepEqual(stateAt(coverage, at('10:44:00')).after, undefined);
});

test('timeline: the latest complete moment is preferred to a later partial one', () => {
  equal(latestOf(coverage), at('10:30:00'));
  equal(latestOf({ windows: coverage.windows.slice(3, 4) }), at('09:29:59'));
  equal(latestOf({ windows: [] }), undefined);
});

test('timeline: it reaches from the first known moment until now, and an open gap with it', () => {
  deepEqual(coverage.extent, { from: at('08:00:00'), to: at('10:45:00') });
  equal(coverage.gaps.at(-1)?.to, at('10:45:00'));
});

const extent = { from: 0, to: 1_000_000 };

test('timeline: zooming keeps the moment under the pointer and stays within the extent', () => {
  const view = zoomView(extent, { factor: 0.5, anchor: 250_000, extent });
  deepEqual(view, { from: 125_000, to: 625_000 });
  deepEqual(zoomView(view, { factor: 2, anchor: 250_000, extent }), extent);
  deepEqual(zoomView(view, { factor: 100, anchor: 250_000, extent }), extent);
  // Never closer than a minute.
  equal(
    zoomView(view, { factor: 1e-6, anchor: 250_000, extent }).to - zoomView(view, { factor: 1e-6, anchor: 250_000, extent }).from,
    60_000,
  );
  deepEqual(panView(view, 1e9, extent), { from: 500_000, to: 1_000_000 });
  deepEqual(revealMoment(view, 900_000, extent), { from: 500_000, to: 1_000_000 });
  deepEqual(revealMoment(view, 300_000, extent), view);
  deepEqual(clampView({ from: -5, to: 10 }, { from: 0, to: 20 }), { from: 0, to: 20 });
});

test('timeline: marks are at round times and never too many', () => {
  for (const hours of [0.02, 0.5, 3, 26, 24 * 7, 24 * 365]) {
    const ticks = ticksOf({ from: at('08:00:00'), to: at('08:00:00') + hours * 3_600_000 }, 10);
    ok(ticks.length >= 1 && ticks.length <= 11, `${hours} h: ${ticks.length}`);
    ok(ticks.every(({ at: time }) => time % 1_000 === 0));
  }
});

test('timeline: spans that are closer than a pixel are drawn as one, if they are alike', () => {
  const spans = [
    { from: 0, to: 10, kind: 'a' },
    { from: 11, to: 20, kind: 'a' },
    { from: 21, to: 30, kind: 'b' },
    { from: 50, to: 60, kind: 'b' },
  ];
  deepEqual(
    mergeClose(spans, 2, (a, b) => a.kind === b.kind).map(({ from, to }) => [from, to]),
    [
      [0, 20],
      [21, 30],
      [50, 60],
    ],
  );
});
