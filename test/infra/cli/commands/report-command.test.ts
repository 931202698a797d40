/** bms report: a period that is too long for one request is read in parts. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { protectionReportExample } from '../../../../shared/contract/openapi/examples/evidence-examples.ts';
import { openScriptedService, runProgram } from '../../../harness/env/scripted-service.ts';
import { type Stops, stopAll, tempDir } from '../../../harness/store/store-stands.ts';

const stops: Stops = [];
afterAll(() => stopAll(stops));

const dayMs = 24 * 3_600_000;
const [from, to] = ['2026-01-01T00:00:00.000Z', '2026-12-31T23:59:59.999Z'];

/** Refuses more than `maxDays` days. */
const openReports = async (maxDays: number) => {
  const service = await openScriptedService(stops, ({ path, query }) => {
    if (path !== '/reports/protection') return undefined;
    const [start = from, end = to] = [query.from, query.to];
    if (Date.parse(end) - Date.parse(start) < maxDays * dayMs && query.format === 'csv') return { text: `Report,${start}\n` };
    if (Date.parse(end) - Date.parse(start) < maxDays * dayMs)
      return { data: { ...protectionReportExample, from: start, to: end } };
    const details = { field: 'from', reason: 'ask for fewer days', maxDays, from: start, to: end };
    return { status: 400, error: { code: 'VALIDATION_ERROR', message: 'from: ask for fewer days', details } };
  });
  const env = { XDG_CONFIG_HOME: tempDir(stops), BMS_URL: service.url, BMS_API_KEY: 'key' };
  const report = (...args: readonly string[]) => runProgram(['report', '--from', from, '--to', to, ...args], env);
  return { service, report };
};

test('bms report: reads a long period in parts, joins them, and says so', async () => {
  const { service, report } = await openReports(150);
  const { out, err, code } = await report('--json');
  equal(code, 0, err);
  const joined = JSON.parse(out);
  deepEqual([joined.from, joined.to], [from, to]);
  equal(joined.backups.completed, 3 * protectionReportExample.backups.completed);
  match(err, /reading part 1 of 3[\s\S]*reading part 3 of 3/);
  deepEqual(
    service.seen.map(({ query }) => [query.from, query.to]),
    [
      [from, to],
      ['2026-08-04T00:00:00.000Z', to],
      ['2026-03-07T00:00:00.000Z', '2026-08-03T23:59:59.999Z'],
      [from, '2026-03-06T23:59:59.999Z'],
    ],
  );
});

test('bms report: CSV has the parts one after the other; a page to print is refused with the days to ask for', async () => {
  const { report } = await openReports(150);
  const csv = await report('--csv');
  equal(csv.code, 0, csv.err);
  deepEqual(
    csv.out.split('\n').filter((line) => line.startsWith('Report')),
    ['Report,2026-08-04T00:00:00.000Z', 'Report,2026-03-07T00:00:00.000Z', `Report,${from}`],
  );
  const html = await report('--html');
  equal(html.code, 2);
  match(html.err, /--from: ask for fewer days/);
});
