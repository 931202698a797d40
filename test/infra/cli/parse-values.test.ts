/** Values of options, and names of resources. */
import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { InvalidArgumentError } from 'commander';
import { test } from 'vitest';
import { CliFailure } from '../../../infra/cli/base/cli-failure.ts';
import { matchName } from '../../../infra/cli/base/match-name.ts';
import { parseMoment, parseNames, parsePositive, parseWhole } from '../../../infra/cli/base/parse-values.ts';
import { parseKeep } from '../../../infra/cli/commands/schedule/schedule-options.ts';

test('parseNames: commas and repetitions add names', () => {
  deepEqual(parseNames('c', parseNames('a, b')), ['a', 'b', 'c']);
  throws(() => parseNames('a,,b'), InvalidArgumentError);
});

test('parseWhole: only whole numbers that are exact', () => {
  equal(parseWhole('30'), 30);
  for (const text of ['', '-1', '1.5', '1e3', ' 1', '99999999999999999999']) throws(() => parseWhole(text), InvalidArgumentError);
});

test('parsePositive: zero is refused', () => {
  equal(parsePositive('1'), 1);
  throws(() => parsePositive('0'), InvalidArgumentError);
});

test('parseMoment: times, days and ages', () => {
  equal(parseMoment('2026-11-16T11:20:00Z'), '2026-11-16T11:20:00Z');
  equal(parseMoment('2026-11-16T11:20:00+02:00'), '2026-11-16T11:20:00+02:00');
  equal(parseMoment('2026-11-16'), '2026-11-16');
  match(parseMoment('30m'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  equal(Date.parse(parseMoment('2d')) - Date.parse(parseMoment('3d')) >= 86_399_000, true);
  for (const text of ['yesterday', '2026-13-01', '2026-02-30', '2026-02-30T00:00:00Z', '2026-11-16T11:20', '5x', ''])
    throws(() => parseMoment(text), InvalidArgumentError, text);
});

test('parseKeep: counts of days, weeks, months and years', () => {
  deepEqual(parseKeep('7d,4w,12m,5y'), { daily: 7, weekly: 4, monthly: 12, yearly: 5 });
  for (const text of ['', '7', '7d,7d', '7h', 'd7']) throws(() => parseKeep(text), InvalidArgumentError, text);
});

const projects = [
  { id: 'prj_1', name: 'Shop' },
  { id: 'prj_2', name: 'Shop staging' },
  { id: 'prj_3', name: 'Blog' },
];
const find = (wanted: string) =>
  matchName('project', { wanted, found: projects, namedOf: ({ id, name }) => ({ id, names: [name] }) }).id;

test('matchName: an id, an exact name and a unique beginning find a resource', () => {
  equal(find('prj_2'), 'prj_2');
  equal(find('shop'), 'prj_1');
  equal(find('shop s'), 'prj_2');
  equal(find('BL'), 'prj_3');
});

test('matchName: an ambiguous name has exit code 2 and lists the candidates; an unknown one has exit code 4, an empty one 2', () => {
  throws(
    () => find('sh'),
    (error) => error instanceof CliFailure && error.exitCode === 2 && /2 projects: prj_1 \(Shop\), prj_2/.test(error.message),
  );
  throws(
    () => find('x'),
    (error) => error instanceof CliFailure && error.exitCode === 4,
  );
  throws(
    () => find(''),
    (error) => error instanceof CliFailure && error.exitCode === 2,
  );
});
