import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { csvHeader, csvLine } from '../../../shared/audit/csv.ts';
import type { AuditLogEntry } from '../../../shared/audit/index.ts';
import { anyCharacter } from '../../harness/builders/any-character.ts';
import { parseCsv } from '../../harness/builders/parse-csv.ts';

const entry: AuditLogEntry = {
  id: 'aud_1',
  timestamp: '2030-01-01T00:00:00.000Z',
  action: 'organization.updated',
  actor: { type: 'user', id: 'usr_1', email: 'ada@example.com' },
  resource: { type: 'organization', id: 'org_1' },
  organization: { id: 'org_1' },
  context: { ip: '203.0.113.7', userAgent: 'curl/8', location: null, requestId: 'r1' },
  details: { name: 'New' },
};
const columns = parseCsv(csvHeader)[0]!;
const agentCell = (userAgent: string): string => {
  const row = parseCsv(csvLine({ ...entry, context: { ...entry.context, userAgent } }))[0]!;
  equal(row.length, columns.length);
  return row[columns.indexOf('context.userAgent')]!;
};

test('csvLine: a line has the columns of the header, an empty cell for null, and the details as JSON', () => {
  deepEqual(Object.fromEntries(parseCsv(csvLine(entry))[0]!.map((cell, n) => [columns[n], cell])), {
    id: 'aud_1',
    timestamp: '2030-01-01T00:00:00.000Z',
    action: 'organization.updated',
    'actor.type': 'user',
    'actor.id': 'usr_1',
    'actor.email': 'ada@example.com',
    'resource.type': 'organization',
    'resource.id': 'org_1',
    'organization.id': 'org_1',
    'context.ip': '203.0.113.7',
    'context.userAgent': 'curl/8',
    'context.location': '',
    'context.requestId': 'r1',
    details: '{"name":"New"}',
  });
});

const triggers = ['=', '+', '-', '@', '\t', '\r', '\n', '\0', '＝', '＋', '－', '＠'];
for (const trigger of triggers)
  test(`csvLine: a cell that begins with ${JSON.stringify(trigger)} becomes text`, () =>
    equal(agentCell(`${trigger}1+1`), `'${trigger}1+1`));

for (const text of ['=HYPERLINK("http://evil.example","x")', '","=1+1', 'a\r\n=1+1,"', '"', '""', "'", ',', ';=1', ' =1'])
  test(`csvLine: ${JSON.stringify(text)} stays in its cell`, () => ok([text, `'${text}`].includes(agentCell(text))));

test('csvLine: arbitrary field values change neither rows nor columns, and no cell begins with a formula', () =>
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: anyCharacter }), { maxLength: 5 }),
      fc.string({ unit: anyCharacter }),
      (agents, name) => {
        const lines = agents.map((userAgent) =>
          csvLine({
            ...entry,
            actor: { ...entry.actor, email: name },
            context: { ...entry.context, userAgent },
            details: { name },
          }),
        );
        const rows = parseCsv(lines.join(''));
        equal(rows.length, agents.length);
        for (const row of rows) {
          equal(row.length, columns.length);
          for (const cell of row) ok(!triggers.includes(cell[0] ?? ''));
        }
      },
    ),
    { numRuns: 500 },
  ));
