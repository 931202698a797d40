/** What a terminal shows. */

import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { runColumns } from '../../../infra/cli/commands/restore-test/run-commands.ts';
import { backupColumns } from '../../../infra/cli/output/backup-view.ts';
import { drawTimeline, timelineAsciiMarks } from '../../../infra/cli/output/draw-timeline.ts';
import { erasureColumns } from '../../../infra/cli/output/erasure-view.ts';
import { formatDuration, formatNames, formatRelative, formatTime } from '../../../infra/cli/output/format.ts';
import { Output } from '../../../infra/cli/output/output.ts';
import { plainFields } from '../../../infra/cli/output/plain-value.ts';
import { ProgressBar } from '../../../infra/cli/output/progress-bar.ts';
import { renderTable } from '../../../infra/cli/output/render-table.ts';
import { restoreTestRunDetails } from '../../../infra/cli/output/restore-test-view.ts';
import { restoreDetails } from '../../../infra/cli/output/restore-view.ts';
import { openTerminal, type Terminal } from '../../../infra/cli/output/terminal.ts';
import { fitText, textWidth } from '../../../infra/cli/output/text-width.ts';
import { waitSentence } from '../../../infra/cli/output/wait-words.ts';
import { formatBytes } from '../../../shared/contract/format-bytes.ts';
import { restoreJob } from '../../../shared/contract/openapi/examples/job-examples.ts';

const plainTerminal = (columns: number): Terminal => ({
  columns,
  isInteractive: false,
  hasProgress: false,
  paint: (_, text) => text,
  paintNote: (_, text) => text,
});

const rows = [
  { id: 'bkp_01JZ8Q4V0M6T3X9C2B7N5K1HRD', name: 'A project with a long name that does not fit', count: 7 },
  { id: 'bkp_01JZ8Q4V0M6T3X9C2B7N5K1HRE', name: 'evil\u001b[31m\nname', count: 2_000 },
];
const columns = [
  { title: 'ID', value: ({ id }: (typeof rows)[number]) => id },
  { title: 'NAME', value: ({ name }: (typeof rows)[number]) => name, flexible: true },
  { title: 'COUNT', value: ({ count }: (typeof rows)[number]) => count, align: 'right' as const },
];

test('renderTable: fits the terminal, escapes control characters, and shortens nothing when piped', () => {
  const { lines } = renderTable(rows, columns, plainTerminal(60));
  for (const line of lines) ok(textWidth(line) <= 60, line);
  match(lines[1] ?? '', /^bkp_01JZ8Q4V0M6T3X9C2B7N5K1HRD {2}A project with a lo?.*… +7$/);
  const piped = renderTable(rows, columns, plainTerminal(Number.POSITIVE_INFINITY)).lines.join('\n');
  match(piped, /that does not fit/);
  ok(!piped.includes('\u001b'));
  match(piped, /"evil\\u001b\[31m\\nname"/);
});

test('renderTable: lists with long ids and names fit a terminal of 80 columns', () => {
  const id = 'rtr_01JZ8Q4V0M6T3X9C2B7N5K1HRD';
  const at = '2026-11-16T22:09:00.000Z';
  const run = { id, projectName: 'A project with a long name', status: 'cancelled', createdAt: at, backupId: id };
  const erasure = { id, status: 'resolving', createdAt: at, pathCount: 1_000, reason: 'Request 4711 of a customer' };
  const lines = [
    ...renderTable([run] as never[], runColumns, plainTerminal(80)).lines,
    ...renderTable([erasure] as never[], erasureColumns, plainTerminal(80)).lines,
  ];
  equal(lines.length, 4);
  for (const line of lines) ok(textWidth(line) <= 80, line);
});

test('renderTable: a narrow terminal leaves out columns in their order, and shortens neither ids nor numbers', () => {
  const backup = {
    id: 'bkp_01JZ8Q4V0M6T3X9C2B7N5K1HRD',
    projectName: 'A project with a long name',
    status: 'completed',
    documentCount: 123_456_789,
    createdAt: '2026-11-16T22:09:00.000Z',
  };
  const leftOut = (width: number): readonly string[] => {
    const table = renderTable([backup] as never[], backupColumns, plainTerminal(width));
    for (const line of table.lines) ok(textWidth(line) <= width, line);
    match(table.lines[1] ?? '', new RegExp(`^${backup.id} `));
    equal(/123,456,789/.test(table.lines[1] ?? ''), !table.leftOut.includes('DOCUMENTS'));
    return table.leftOut;
  };
  deepEqual([100, 80, 70, 60, 50].map(leftOut), [
    [],
    [],
    ['DOCUMENTS'],
    ['PROJECT', 'DOCUMENTS'],
    ['PROJECT', 'DOCUMENTS', 'CREATED (UTC)'],
  ]);
});

test('Output: a list says which columns a narrow terminal leaves out', () => {
  const [out, err]: [string[], string[]] = [[], []];
  const streamOf = (written: string[]) => ({ write: (text: string) => written.push(text) });
  const output = new Output({ stdout: streamOf(out), stderr: streamOf(err) } as never, {}, plainTerminal(40));
  const optional = columns.map((column, n) => (n === 2 ? { ...column, optional: 1 } : column));
  output.list(rows, { columns: optional, idOf: ({ id }) => id, empty: '' });
  match(out[0] ?? '', /^ID +NAME\n$/);
  deepEqual(err, ['The terminal is too narrow for COUNT\n']);
  // Nothing is missing without an empty column.
  const empty = optional.map((column, n) => (n === 2 ? { ...column, value: () => null } : column));
  output.list(rows, { columns: empty, idOf: ({ id }) => id, empty: '' });
  equal(err.length, 1);
});

test('restoreTestRunDetails: numbers and times are written as those of backups and restores', () => {
  const comparison = { compared: true, reason: null, documents: 2_000, differences: 1_500 };
  const run = {
    id: 'rtr_1',
    warnings: [],
    readTime: '2026-11-17T20:38:58.493000Z',
    startedAt: '2026-11-17T20:39:00.000Z',
    counts: { documents: 2_000 },
    documentsWritten: 2_000,
    comparisons: { index: comparison, source: { ...comparison, documents: 1 }, target: { ...comparison, compared: false } },
    differences: { total: 1_500, items: [] },
  };
  const details = new Map(restoreTestRunDetails(run as never).map(([label, value]) => [label, value]));
  const labels = ['State of', 'Started', 'Documents', 'Written', 'Index', 'Source', 'Differences'];
  deepEqual(
    labels.map((label) => details.get(label)),
    [
      '2026-11-17 20:38:58Z',
      '2026-11-17 20:39:00Z',
      '2,000',
      '2,000 documents',
      '2,000 documents compared, 1,500 different',
      '1 document compared, 1,500 different',
      '1,500',
    ],
  );
});

test('Output: notes, warnings and JSON cannot control the terminal', () => {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream;
  const environment = { stdout: stream, stderr: stream } as never;
  const output = new Output(environment, {}, plainTerminal(80));
  const evil = 'a\u001b]0;b\u0007\u009b31mc\u202ed';
  output.note(evil);
  output.warn(evil);
  output.json({ evil });
  output.jsonLine({ evil });
  for (const text of written) ok(!/[^\P{Cc}\n]|\p{Bidi_Control}/u.test(text), JSON.stringify(text));
  deepEqual(JSON.parse(written.at(-1) ?? ''), { evil });
});

test('Output: JSON keeps the sign of -0, and texts that look like it', () => {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream;
  const output = new Output({ stdout: stream, stderr: stream } as never, {}, plainTerminal(80));
  const data = { fields: JSON.parse('{"a":{"doubleValue":-0},"b":{"doubleValue":0},"c":{"stringValue":"-0"}}') };
  output.json({ ...data, plain: plainFields(data.fields) });
  output.jsonLine([-0, 0, 1]);
  const { fields, plain } = JSON.parse(written[0] ?? '');
  deepEqual(fields, data.fields);
  deepEqual(plain, { a: -0, b: 0, c: '-0' });
  equal(written[1], '[-0,0,1]\n');
});

test('formatNames: says how many names it leaves out', () => {
  equal(formatNames([]), '');
  equal(formatNames(['users', 'orders']), 'users, orders');
  equal(formatNames(['users'], 1_001), 'users and 1,000 more');
  match(formatNames(Array.from({ length: 25 }, (_, n) => `c${n}`)), /, c19 and 5 more$/);
});

test('textWidth: East Asian characters and emoji take two columns, combining marks none', () => {
  equal(textWidth('東京'), 4);
  equal(textWidth('🙂'), 2);
  equal(textWidth('e\u0301'), 1);
  equal(fitText('東京都', 5), '東京…');
});

const colourOf = (env: Record<string, string>, isTTY: boolean, color?: boolean): boolean => {
  const stream = { isTTY, columns: 80 } as unknown as NodeJS.WriteStream;
  const environment = {
    args: [],
    env,
    stdin: {} as NodeJS.ReadStream,
    stdout: stream,
    stderr: stream,
    signal: AbortSignal.abort(),
  };
  return openTerminal(environment, { color }).paint('red', 'x') !== 'x';
};

test('openTerminal: colours follow the terminal, NO_COLOR, FORCE_COLOR, TERM and --no-color', () => {
  equal(colourOf({}, true), true);
  equal(colourOf({}, false), false);
  equal(colourOf({ NO_COLOR: '1' }, true), false);
  equal(colourOf({ NO_COLOR: '' }, true), true);
  equal(colourOf({ FORCE_COLOR: '1' }, false), true);
  equal(colourOf({ FORCE_COLOR: '0' }, true), false);
  equal(colourOf({ FORCE_COLOR: '1', NO_COLOR: '1' }, false), false);
  equal(colourOf({ TERM: 'dumb' }, true), false);
  equal(colourOf({}, true, false), false);
});

test('format: sizes, durations and times', () => {
  deepEqual(
    [999, 1_500, 373_200, 5e9].map((bytes) => formatBytes(bytes)),
    ['999 B', '1.5 KB', '373.2 KB', '5.0 GB'],
  );
  deepEqual([450, 12_000, 150_000, 7_260_000, 3 * 86_400_000].map(formatDuration), [
    '450 ms',
    '12 s',
    '2 min 30 s',
    '2 h 1 min',
    '3 d 0 h',
  ]);
  equal(formatTime('2026-11-16T11:20:00.123Z'), '2026-11-16 11:20:00Z');
  equal(formatRelative('2026-11-16T11:20:00Z', Date.parse('2026-11-16T14:25:00Z')), '3 h ago');
  equal(formatRelative('2026-11-16T11:20:00Z', Date.parse('2026-11-16T11:10:00Z')), 'in 10 min');
});

test('ProgressBar: shows phase, percent, rate and remaining time within 80 columns', () => {
  const bar = new ProgressBar({ nowMs: 0, isAscii: true });
  equal(bar.line(0, 80), 'waiting for the service');
  const state = { phase: 'copying', percent: 10, documents: 1_000, totalDocuments: 10_000, waitingFor: null };
  bar.update(state, 0);
  bar.update({ ...state, percent: 50, documents: 5_000 }, 10_000);
  equal(bar.line(10_000, 80), 'copying    #########--------   50 %  5,000 of 10,000 documents  400/s  13 s left');
  equal(textWidth(bar.line(10_000, 40)), 40);
  const large = { phase: 'Decompressing', percent: 50, documents: 5_000_000, totalDocuments: 10_000_000, waitingFor: null };
  bar.update(large, 20_000);
  bar.update({ ...large, documents: 5_100_000 }, 40_000);
  match(bar.line(40_000, 79), /5,000\/s {2}16 min 20 s left$/);
});

test('ProgressBar: says what a job waits for, and that the service does not respond', () => {
  const bar = new ProgressBar({ nowMs: 0, isAscii: true });
  const since = new Date(0).toISOString();
  const waitingFor = { reason: 'storage', since, attempts: 2, problem: 'No answer.', givesUpAt: new Date(300_000).toISOString() };
  const state = { phase: 'copying', percent: 10, documents: 10, totalDocuments: null };
  bar.update({ ...state, waitingFor: { ...waitingFor, reason: 'storage' } }, 0);
  match(bar.line(10_000, 140), /10 documents {2}waiting for the bucket for 10 s, 2 failed attempts, gives up in 4 min 50 s$/);
  equal(
    waitSentence('backup', { ...waitingFor, reason: 'storage' }),
    'The backup waits for the bucket since 1970-01-01 00:00:00Z: No answer. It gives up at 1970-01-01 00:05:00Z.',
  );
  match(bar.line(40_000, 100), /no response for 40 s, retrying$/);
});

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 16, 11, minute)).toISOString();

test('drawTimeline: a gap is drawn however short it is, and sampled stretches are marked', () => {
  const drawn = drawTimeline(
    {
      windows: [
        { from: at(0), to: at(20), complete: true },
        { from: at(21), to: at(40), complete: false },
      ],
      gaps: [{ from: at(20), to: at(21), reason: 'outage' }],
      sampled: [{ from: at(0), to: at(4) }],
    },
    { columns: 10, marks: timelineAsciiMarks, nowMs: Date.parse(at(40)) },
  );
  deepEqual(drawn, { from: at(0), to: at(40), line: '=####.++++' });
  equal(drawTimeline({ windows: [], gaps: [], sampled: [] }, { columns: 10, marks: timelineAsciiMarks, nowMs: 0 }), undefined);
});

test('plainFields: values lose their types, and large integers stay exact', () => {
  deepEqual(
    plainFields({
      name: { stringValue: 'Ada' },
      born: { integerValue: '1815' },
      large: { integerValue: '9223372036854775807' },
      tags: { arrayValue: { values: [{ booleanValue: true }, { nullValue: null }] } },
      empty: { arrayValue: {} },
      map: { mapValue: { fields: { a: { doubleValue: 1.5 } } } },
    }),
    { name: 'Ada', born: 1815, large: '9223372036854775807', tags: [true, null], empty: [], map: { a: 1.5 } },
  );
});

test('restore: each finding about its backup is a line, and the rest are counted', () => {
  const linesOf = (more: Partial<typeof restoreJob>) =>
    restoreDetails({ ...restoreJob, ...more }).flatMap(([label, value]) => (label === 'Finding' ? [value] : []));
  const findings = [{ object: 'key', problem: 'missing' as const, message: 'The key is missing' }];
  deepEqual(linesOf({ findings, findingsCount: 3 }), ['key: The key is missing', 'and 2 more']);
  deepEqual(linesOf({}), []);
});
