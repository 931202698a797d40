import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { digestEmail } from '../../../../shared/alert/digest/digest-email.ts';
import { digestPeriod, digestWeek } from '../../../../shared/alert/digest/digest-week.ts';
import type { DigestFacts } from '../../../../shared/alert/digest/read-digest.ts';
import { propertyRuns } from '../../../harness/builders/property-runs.ts';
import { hostileText } from '../../../harness/builders/sample-alert.ts';

const project = (changes: Partial<DigestFacts['projects'][number]> = {}): DigestFacts['projects'][number] => ({
  id: 'prj_1',
  name: 'Shop',
  protection: 'protected',
  reasons: [],
  lastGoodBackupAt: '2026-03-08T02:05:00.000Z',
  lastVerification: { backupId: 'bkp_1', at: '2026-03-08T03:00:00.000Z', status: 'passed', depth: 'full' },
  lastRestoreTest: null,
  lastRestore: null,
  nextRun: { at: '2026-03-10T02:00:00.000Z', scheduleId: 'sch_1' },
  ...changes,
});
const digest = (changes: Partial<DigestFacts> = {}): DigestFacts => ({
  at: '2026-03-09T08:00:00.000Z',
  from: '2026-03-02',
  to: '2026-03-08',
  totals: { projects: 2, protected: 1, atRisk: 0, unprotected: 1 },
  projects: [
    project({
      id: 'prj_2',
      name: 'Blog',
      protection: 'unprotected',
      reasons: [{ code: 'NO_BACKUP', message: 'Blog has no backup that could be restored' }],
      lastGoodBackupAt: null,
      lastVerification: null,
      nextRun: null,
    }),
    project(),
  ],
  backups: { completed: 7, failed: 1, addedBytes: 7_000_000 },
  storage: { storedBytes: 30_000_000, changeBytes: 2_500_000 },
  cost: { reads: 1_234_567, estimatedUsd: 0.740_74 },
  failedJobs: [
    {
      kind: 'backup',
      id: 'bkp_2',
      projectId: 'prj_1',
      projectName: 'Shop',
      trigger: 'scheduled',
      scheduleId: 'sch_1',
      status: 'failed',
      failedAt: '2026-03-04T02:01:00.000Z',
      error: { code: 'STORAGE_UPLOAD_ERROR', message: 'The bucket denied access.', details: {} },
    },
  ],
  complete: true,
  ...changes,
});

test('digestEmail: says what is protected, what is not and why, what was made, what failed, what it cost and what comes next', () => {
  const { subject, text, html } = digestEmail(digest(), 'Acme', 'https://backup.example.com/');
  equal(subject, 'Weekly digest: 1 of 2 projects is not protected (Acme)');
  equal(
    text.slice(0, text.indexOf('You receive')),
    `The week from 2026-03-02 to 2026-03-08 (UTC) in the organization "Acme": 1 of 2 projects is not protected.

Not protected or at risk
------------------------

- "Blog": unprotected. Blog has no backup that could be restored.

Protected
---------

- "Shop": last good backup 2026-03-08 02:05 UTC

This week
---------

Backups made: 7
Backups failed: 1
Restores failed: 0
Added: 7.0 MB
Stored: 30.0 MB (2.5 MB more)
Document reads: 1,234,567
Estimated Firestore cost: $0.74

Failed in the last 7 days until now
-----------------------------------

- 2026-03-04 02:01 UTC: backup of "Shop": The bucket denied access

Verified and restored
---------------------

- "Shop": verification passed 2026-03-08 03:00 UTC

Next backups
------------

- 2026-03-10 02:00 UTC: "Shop"

Open the overview:
https://backup.example.com/

`,
  );
  for (const part of ['Blog', 'Shop', '$0.74', '30.0 MB', 'https://backup.example.com/']) ok(html.includes(part), part);
});

test('digestEmail: an organization without problems has no empty sections', () => {
  const { subject, text } = digestEmail(
    digest({ totals: { projects: 1, protected: 1, atRisk: 0, unprotected: 0 }, projects: [project()], failedJobs: [] }),
    'Acme',
    'https://x.example',
  );
  equal(subject, 'Weekly digest: the project is protected (Acme)');
  ok(!text.includes('Not protected or at risk') && !text.includes('Failed in the'));
});

for (const [totals, verdict] of [
  [{ projects: 0, protected: 0, atRisk: 0, unprotected: 0 }, 'there are no projects'],
  [{ projects: 3, protected: 3, atRisk: 0, unprotected: 0 }, 'all 3 projects are protected'],
  [{ projects: 1, protected: 0, atRisk: 1, unprotected: 0 }, '1 of 1 project is at risk'],
  [{ projects: 2, protected: 0, atRisk: 0, unprotected: 2 }, '2 of 2 projects are not protected'],
  [{ projects: 3, protected: 1, atRisk: 1, unprotected: 1 }, '1 of 3 projects is not protected, 1 at risk'],
] as const)
  test(`digestEmail: the verdict of ${JSON.stringify(totals)}`, () =>
    equal(digestEmail(digest({ totals }), 'Acme', 'https://x.example').subject, `Weekly digest: ${verdict} (Acme)`));

test('digestEmail: of a thousand projects it lists the first ones and counts the rest', () => {
  const projects = Array.from({ length: 1_000 }, (_, index) => project({ name: `P${index}` }));
  const { text } = digestEmail(digest({ projects }), 'Acme', 'https://x.example');
  ok(text.includes('and 970 more') && text.length < 20_000);
});

test('digestEmail: hostile names and errors stay text', () =>
  fc.assert(
    fc.property(hostileText, hostileText, (name, message) => {
      const { subject, text, html } = digestEmail(
        digest({
          projects: [project({ name, protection: 'at_risk', reasons: [{ code: 'PITR_PROBLEM', message }] })],
          failedJobs: digest().failedJobs.map((job) => ({
            ...job,
            projectName: name,
            error: { code: 'STORAGE_UPLOAD_ERROR', message, details: {} },
          })),
        }),
        name,
        'https://x.example',
      );
      ok(/^[^\p{Cc}\u2028\u2029]{1,200}$/su.test(subject));
      ok(!/\p{Bidi_Control}/u.test(text + html));
      const tags = new Set([...html.matchAll(/<\/?([^\s>]*)/g)].map(([, tag]) => tag ?? ''));
      deepEqual(
        [...tags].filter((tag) => !ourTags.includes(tag)),
        [],
      );
    }),
    { numRuns: propertyRuns({ usual: 100, fuzz: 2_000 }) },
  ));
const ourTags = '!doctype html head meta title body h2 p b bdi br ul li table tr th td a'.split(' ');

const weekOf = (timezone: string, now: string) => {
  const week = digestWeek(timezone, new Date(now));
  return [week?.dueAt.toISOString(), week?.monday];
};

test('digestWeek: a digest is due from Monday at 08:00', () => {
  deepEqual(weekOf('UTC', '2026-11-16T07:59:59.999Z'), ['2026-11-09T08:00:00.000Z', '2026-11-09']);
  deepEqual(weekOf('UTC', '2026-11-16T08:00:00.000Z'), ['2026-11-16T08:00:00.000Z', '2026-11-16']);
  deepEqual(weekOf('UTC', '2026-11-22T23:59:59.000Z'), ['2026-11-16T08:00:00.000Z', '2026-11-16']);
  deepEqual(weekOf('UTC', '2027-01-01T12:00:00.000Z'), ['2026-12-28T08:00:00.000Z', '2026-12-28']);
});

test('digestWeek: the time is that of the organization, and the week has one name in all time zones', () => {
  deepEqual(weekOf('Pacific/Kiritimati', '2026-11-16T12:00:00.000Z'), ['2026-11-15T18:00:00.000Z', '2026-11-16']);
  deepEqual(weekOf('Etc/GMT+12', '2026-11-16T20:00:00.000Z'), ['2026-11-16T20:00:00.000Z', '2026-11-16']);
  deepEqual(weekOf('Europe/Berlin', '2026-07-06T06:00:00.000Z'), ['2026-07-06T06:00:00.000Z', '2026-07-06']);
  deepEqual(weekOf('Europe/Berlin', '2026-01-05T07:00:00.000Z'), ['2026-01-05T07:00:00.000Z', '2026-01-05']);
});

test('digestPeriod: on a Monday it is the week from Monday to Sunday', () =>
  deepEqual(digestPeriod(new Date('2026-11-16T08:00:00.000Z')), { from: '2026-11-09', to: '2026-11-15' }));
