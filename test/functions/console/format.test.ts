import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { pollInterval } from '../../../functions/console/app/api/poll-interval.ts';
import {
  formatAboutUsd,
  formatBytes,
  formatCompactBytes,
  formatPlural,
  formatUsd,
} from '../../../functions/console/app/format/format-number.ts';
import { formatDuration, formatRelative } from '../../../functions/console/app/format/format-time.ts';
import { fromLocalInput, toLocalInput } from '../../../functions/console/app/format/local-time.ts';
import { regionName } from '../../../functions/console/app/format/region-name.ts';
import { formatBytes as formatContractBytes } from '../../../shared/contract/format-bytes.ts';

test('formatBytes: as sizeFormatted of the service', () => {
  for (const bytes of [0, 1, 999, 1_000, 1_500, 999_949, 999_950, 123_400_000, 5e9, 1.5e15, 2e18])
    equal(formatBytes(bytes), formatContractBytes(bytes));
  equal(formatBytes(1_536), '1.5 KB');
});

test('formatCompactBytes: whole units beside an axis have no decimals', () => {
  equal(formatCompactBytes(500_000), '500 KB');
  equal(formatCompactBytes(1_500_000), '1.5 MB');
});

test('formatPlural: one has its own word', () => {
  equal(formatPlural(1, 'project is', 'projects are'), '1 project is');
  equal(formatPlural(1_200, 'document'), '1,200 documents');
});

test('formatUsd: amounts below a cent are not spelled out', () => {
  equal(formatUsd(12.345), '$12.35');
  equal(formatUsd(0), '$0.00');
  equal(formatUsd(0.01), '$0.01');
  equal(formatUsd(0.000123), 'less than $0.01');
  equal(formatAboutUsd(12.345), 'about $12.35');
  equal(formatAboutUsd(0.000123), 'less than $0.01');
});

test('formatDuration: the two largest units', () => {
  for (const [ms, text] of [
    [250, '250 ms'],
    [4_200, '4.2 s'],
    [59_400, '59 s'],
    [3_725_000, '1 h 2 min'],
    [90_061_000, '1 d 1 h'],
  ] as const)
    equal(formatDuration(ms), text);
});

test('formatRelative: past and future in the largest fitting unit', () => {
  const now = new Date('2026-05-01T12:00:00Z');
  const at = (minutes: number): string => formatRelative(new Date(now.getTime() + minutes * 60_000), now);
  equal(at(0), 'just now');
  equal(at(-3), '3 minutes ago');
  equal(at(90), 'in 2 hours');
  equal(at(60 * 35), 'in 35 hours');
  equal(at(-60 * 26), '26 hours ago');
  equal(at(60 * 48), 'in 2 days');
  equal(at(-60 * 24 * 3), '3 days ago');
  equal(at(60 * 24 * 27), 'in 1 month');
  equal(at(60 * 24 * 60), 'in 2 months');
});

test('pollInterval: less often over time and after errors, and not at all when nothing runs', () => {
  const isRunning = (): boolean => true;
  const polled = (updates: number, errors = 0) =>
    pollInterval({ data: 1, dataUpdateCount: updates, errorUpdateCount: errors }, isRunning);
  equal(polled(0), 1_000);
  equal(Number(polled(10)) > Number(polled(5)), true);
  equal(Number(polled(1, 2)) > Number(polled(1)), true);
  equal(polled(1_000), 3_000);
  equal(polled(1_000, 1), 15_000);
  equal(
    pollInterval({ data: 1, dataUpdateCount: 0, errorUpdateCount: 0 }, () => false),
    false,
  );
  equal(pollInterval({ data: undefined, dataUpdateCount: 0, errorUpdateCount: 0 }, isRunning), false);
});

test('regionName: a country by its name, and an odd code as it is', () => {
  deepEqual(['DE-BE', 'DE, Berlin', 'CI, Abidjan-Nord', 'FR', 'XX', 'T1-1', '1', '??-Z', '', null].map(regionName), [
    'Germany (BE)',
    'Germany (Berlin)',
    'Côte d’Ivoire (Abidjan-Nord)',
    'France',
    'XX',
    'T1 (1)',
    '1',
    '?? (Z)',
    undefined,
    undefined,
  ]);
});

test('toLocalInput: to the second, spelled as browsers do', () => {
  const spellings = [
    [new Date(2026, 0, 2, 3, 4, 5, 678), '2026-01-02T03:04:05'],
    [new Date(2026, 0, 2, 3, 4, 0, 678), '2026-01-02T03:04'],
    [new Date(Number.NaN), ''],
  ] as const;
  for (const [at, text] of spellings) equal(toLocalInput(at.getTime()), text);
  equal(fromLocalInput('2026-01-02T03:04'), new Date(2026, 0, 2, 3, 4).toISOString());
});
