/** The audit's share of each day, simulated for weeks: nothing gets older than it may, and no day reads more than its share. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { decideAuditStep } from '../../../../shared/pitr/audit/decide-audit-step.ts';
import { momentOf } from '../../../../shared/pitr/index.ts';
import {
  type AuditedSlice,
  auditedAt,
  auditedSince,
  decodeSlices,
  encodeSlices,
  oldestWithin,
  unaudited,
  withAudited,
} from '../../../../shared/pitr/timeline/audited-slices.ts';

const dayMs = 24 * 3_600_000;
const start = Date.UTC(2030, 0, 1);
const nameOf = (n: number): string => `users/u${String(n).padStart(7, '0')}`;

interface Simulation {
  readonly auditDays: number;
  readonly days: number;
  /** The documents on a day, by their numbers, in order. */
  readonly documentsOn: (day: number) => readonly number[];
}

/** Runs the audit every five minutes at most. Returns what each of its days read, and the age of the oldest document at the end of each. */
const simulate = ({ auditDays, days, documentsOn }: Simulation) => {
  const read = new Map<number, number>();
  let slices = unaudited;
  let next: string | undefined;
  let day = { endsAt: new Date(start), documents: 0 };
  const shares = new Map<string, number>();
  const ages: number[] = [];
  let now = start;
  for (const number of Array.from({ length: days }, (_, n) => n)) {
    const documents = documentsOn(number);
    for (; now < start + (number + 1) * dayMs; now += 300_000) {
      const from = next;
      const step = decideAuditStep({
        auditDays,
        documents: documents.length,
        baseReadAt: new Date(start),
        isReadAgain: false,
        nextAuditedAt: auditedAt(slices, from),
        day,
        now: new Date(now),
      });
      if ('dueAt' in step) {
        now = Math.max(now, Date.parse(step.dueAt) - 300_000);
        continue;
      }
      const rest = documents.filter((n) => from === undefined || nameOf(n) >= from);
      const slice = rest.slice(0, step.limit);
      const to = slice.length < step.limit || rest.length === slice.length ? undefined : nameOf(rest[slice.length]!);
      for (const n of slice) read.set(n, now);
      slices = withAudited(slices, { from, to, at: now * 1_000 });
      next = to;
      day = { endsAt: new Date(step.day.dayEndsAt), documents: step.day.documentsToday + slice.length };
      shares.set(step.day.dayEndsAt, day.documents);
    }
    ages.push(Math.max(...documents.map((n) => now - (read.get(n) ?? start))) / dayMs);
  }
  return { perDay: [...shares.values()], ages, slices };
};

for (const auditDays of [7, 30])
  test(`audit: within ${auditDays} days everything is read again, and a day reads its share`, () => {
    const documents = Array.from({ length: 3_000 }, (_, n) => n);
    const { perDay, ages, slices } = simulate({ auditDays, days: 3 * auditDays, documentsOn: () => documents });
    const share = Math.ceil(documents.length / auditDays);
    equal(Math.max(...perDay), share);
    ok(Math.max(...ages) <= auditDays, `the oldest was ${Math.max(...ages)} days old`);
    const total = perDay.reduce((sum, one) => sum + one, 0);
    ok(total <= share * (3 * auditDays + 2), `${total} documents were read`);
    ok(slices.length <= auditDays + 3);
  });

test('audit: a collection that grows tenfold, before and behind what is read, is followed', () => {
  const documentsOn = (day: number): readonly number[] => {
    const first = Array.from({ length: 1_000 }, (_, n) => 10_000 + n);
    const more = Array.from({ length: Math.min(day, 30) * 150 }, (_, n) => n);
    const last = Array.from({ length: Math.min(day, 30) * 150 }, (_, n) => 20_000 + n);
    return [...more, ...first, ...last];
  };
  const { ages } = simulate({ auditDays: 10, days: 60, documentsOn });
  // New documents are younger than their captures; while it grows tenfold the rest waits a little longer.
  ok(Math.max(...ages.slice(45)) <= 10.1, `the oldest was ${Math.max(...ages.slice(45))} days old`);
});

test('audit: nothing is due within half a day of a base that read everything, and within a day if the base before it did, too', () => {
  const hoursAfterStart = (hours: number): Date => new Date(start + hours * 3_600_000);
  const day = { endsAt: new Date(start), documents: 0 };
  const pace = { auditDays: 7, documents: 700, nextAuditedAt: 0, day, baseReadAt: new Date(start) };
  for (const [isReadAgain, hours] of [
    [false, 12],
    [true, 25],
  ] as const) {
    const dueAt = hoursAfterStart(hours);
    deepEqual(decideAuditStep({ ...pace, isReadAgain, now: hoursAfterStart(hours - 1) }), { dueAt: dueAt.toISOString() });
    ok('limit' in decideAuditStep({ ...pace, isReadAgain, now: dueAt }));
  }
});

test('audited slices: a range replaces what it covers, and cuts its neighbours', () => {
  const day = dayMs * 1_000;
  const one = withAudited(unaudited, { from: undefined, to: 'm', at: 5 * day });
  const two = withAudited(one, { from: 'c', to: 'g', at: 9 * day });
  const expected: readonly AuditedSlice[] = [
    { to: 'c', at: 5 * day },
    { to: 'g', at: 9 * day },
    { to: 'm', at: 5 * day },
    { to: undefined, at: 0 },
  ];
  deepEqual(two, expected);
  deepEqual(decodeSlices(encodeSlices(two)), expected);
  deepEqual(
    ['a', 'c', 'f', 'g', 'x', undefined].map((from) => auditedAt(two, from) / day),
    [5, 9, 9, 5, 0, 5],
  );
  equal(oldestWithin(two, { from: 'd', to: 'g' }), 9 * day);
  equal(oldestWithin(two, { from: 'd', to: 'h' }), 5 * day);
  equal(oldestWithin(two, { from: 'd', to: undefined }), 0);
  deepEqual(withAudited(two, { from: undefined, to: undefined, at: 10 * day }), [{ to: undefined, at: 10 * day }]);
});

test('audited slices: however long the names are, an item holds them, and no slice seems younger than it is', () => {
  const name = (n: number): string => `${'x'.repeat(3_000)}${String(n).padStart(5, '0')}`;
  let slices = unaudited;
  for (let n = 0; n < 300; n++)
    slices = withAudited(slices, { from: n === 0 ? undefined : name(n - 1), to: name(n), at: n * dayMs * 1_000 });
  ok(Buffer.byteLength(encodeSlices(slices)) <= 200_000);
  for (let n = 0; n < 300; n++) ok(auditedAt(slices, n === 0 ? undefined : name(n - 1)) <= n * dayMs * 1_000);
  equal(slices.at(-1)?.at, 0);
});

test('audited slices: a moment is audited since its base, or since the oldest slice that was read up to it', () => {
  const [base, later] = [momentOf(1_000_000), momentOf(9_000_000)];
  const slices = [
    { to: 'm', at: 5_000_000 },
    { to: undefined, at: 3_000_000 },
  ];
  equal(auditedSince(slices, base, later), momentOf(3_000_000));
  equal(auditedSince(slices, base, momentOf(4_000_000)), base);
  equal(auditedSince(slices, momentOf(6_000_000), later), momentOf(6_000_000));
  equal(auditedSince(unaudited, base, later), base);
});
