import assert from 'node:assert/strict';
import { test } from 'vitest';
import { exceptions } from '../../../../infra/local/unused-permissions/exceptions.ts';
import { grantedLines, templateResources } from '../../../../infra/local/unused-permissions/granted.ts';
import { formatReport, readRecord } from '../../../../infra/local/unused-permissions/main.ts';
import { compare } from '../../../../infra/local/unused-permissions/report.ts';

test('unused permissions: unused grants without a reason are reported, and so are superfluous reasons', () => {
  const granted = ['A kms:Sign Key', 'A sqs:SendMessage Queue', 'B kms:Sign Key'];
  const kept = [
    { lines: /^B /, reason: 'for later' },
    { lines: /^C /, reason: 'for nothing' },
  ];
  const report = compare(granted, ['A kms:Sign Key', 'A ses:SendEmail gone'], kept);
  assert.deepEqual(report, { unused: ['A sqs:SendMessage Queue'], stale: ['A ses:SendEmail gone'], idle: [kept[1]] });
  const lines = formatReport(report, granted.length).join('\n');
  for (const word of ['A sqs:SendMessage Queue', 'A ses:SendEmail gone', 'for nothing', '3 granted, 2 used'])
    assert.ok(lines.includes(word), word);
});

test('unused permissions: one kind of read covers the others, likewise writes, under the same conditions', () => {
  const granted = ['GetItem', 'Query', 'PutItem', 'DeleteItem'].map((name) => `A dynamodb:${name} Table`);
  assert.deepEqual(compare(granted, ['A dynamodb:BatchGetItem Table'], []).unused, granted.slice(2));
  assert.deepEqual(compare(granted, ['A dynamodb:UpdateItem Table'], []).unused, granted.slice(0, 2));
  assert.deepEqual(compare(granted, ['A dynamodb:GetItem Table LeadingKeys=ORG#*'], []).unused, granted);
  assert.deepEqual(compare(granted, ['B dynamodb:GetItem Table'], []).unused, granted);
});

test('unused permissions: every permission of the template was used by a test or has a reason', async () => {
  const { unused, idle } = compare(grantedLines(await templateResources()), readRecord(), exceptions);
  assert.deepEqual({ unused, idle }, { unused: [], idle: [] });
});
