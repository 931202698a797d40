import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { alertEmail } from '../../../../shared/alert/message/index.ts';
import { propertyRuns } from '../../../harness/builders/property-runs.ts';
import { hostileAlert, sampleAlert } from '../../../harness/builders/sample-alert.ts';

test('alertEmail: both forms say what failed, where, since when and where to look', () => {
  const { subject, text, html } = alertEmail(sampleAlert());
  equal(subject, 'Backup failed: shop (Acme)');
  for (const form of [text, html])
    for (const part of ['Backup failed: shop', 'destination denied access', 'bkp_1', '2026-03-01 02:00 UTC', sampleAlert().link])
      ok(form.includes(part), `${part} in ${form}`);
});

test('alertEmail: a recovery says so in the subject and names both times', () => {
  const { subject, text } = alertEmail(sampleAlert({ state: 'recovered', recoveredAt: '2026-03-01T03:15:00.000Z' }));
  equal(subject, 'Recovered: Backup failed: shop (Acme)');
  ok(text.includes('Since: 2026-03-01 02:00 UTC') && text.includes('Recovered: 2026-03-01 03:15 UTC'));
});

test('alertEmail: whatever customers write, the subject is one short line and the HTML has only our tags and loads nothing', () =>
  fc.assert(
    fc.property(hostileAlert, (message) => {
      const { subject, text, html } = alertEmail(message);
      ok(/^[^\p{Cc}\u2028\u2029]{1,200}$/su.test(subject), subject);
      ok(!/\p{Bidi_Control}/u.test(subject + text + html));
      const tags = new Set([...html.matchAll(/<\/?([^\s>]*)/g)].map(([, name]) => name));
      deepEqual(
        [...tags].filter((name) => !ourTags.has(name ?? '')),
        [],
      );
      deepEqual(
        [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, target]) => target),
        [message.link],
      );
      ok(text.length < 60_000);
    }),
    { numRuns: propertyRuns({ usual: 150, fuzz: 5_000 }) },
  ));
const ourTags = new Set([
  '!doctype',
  'html',
  'head',
  'meta',
  'title',
  'body',
  'h2',
  'p',
  'br',
  'table',
  'tr',
  'th',
  'td',
  'bdi',
  'a',
]);
