import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import type { Mail } from '../../../../infra/local/base/types.ts';
import { outboxPage } from '../../../../infra/local/gateway/outbox-page.ts';

const mail: Mail = {
  id: '1',
  from: 'backups@example.com',
  to: ['"<b>Eve</b>" <eve@example.com>'],
  subject: '<script>alert(1)</script>',
  text: 'Join: http://localhost:3000/api/v1/invitations/abc?x=1&y=2\njavascript:alert(1) "quoted"',
  html: '<script>alert(2)</script>',
  sentAt: '2026-01-01T00:00:00.000Z',
};

describe('the outbox page', () => {
  const reply = outboxPage('/_local/outbox', [mail]);
  const text = reply?.body.toString() ?? '';

  test('shows http links only', () => {
    assert.match(text, /<a href="http:\/\/localhost:3000\/api\/v1\/invitations\/abc\?x=1&#38;y=2"/);
    assert.doesNotMatch(text, /href="javascript:/);
  });
  test('executes no script of an e-mail', () => {
    assert.doesNotMatch(text, /<script|<b>/);
    assert.match(String(reply?.headers['content-security-policy']), /default-src 'none'/);
  });
  test('says if there are no e-mails', () =>
    assert.match(outboxPage('/_local/outbox', [])?.body.toString() ?? '', /No e-mails yet/));
  test('is available as JSON', () =>
    assert.deepEqual(JSON.parse(outboxPage('/_local/outbox.json', [mail])?.body.toString() ?? ''), [mail]));
  test('has no other paths', () => assert.equal(outboxPage('/_local/other', [mail]), undefined));
});
