import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { captureOffer } from '../../../../shared/pitr/budget/capture-offer.ts';
import { consequencesOf } from '../../../../shared/pitr/budget/consequences.ts';
import { forecastReads } from '../../../../shared/pitr/budget/forecast-reads.ts';
import { totalReads } from '../../../../shared/project/index.ts';

const size = { edition: 'standard', documents: 1_000_000, changedPerDay: 10_000, documentBytes: 500, collections: 3 } as const;
const settings = {
  precision: 'off',
  intervalSeconds: 60,
  auditDays: 30,
  buildsPerDay: 1,
  readsPerDay: 0,
  budget: undefined,
} as const;

test('a million documents, 1 % changed a day: a twentieth of the reads with an audit of 30 days, less with 90', () => {
  const today = totalReads(forecastReads(size, settings).reads);
  equal(today, 1_002_003);
  const captured = { ...settings, precision: 'interval' } as const;
  // What is listed at every capture is beside the formula.
  const of = (auditDays: number) => {
    const { reads } = forecastReads(size, { ...captured, auditDays });
    return totalReads(reads) - reads.listing;
  };
  ok(of(30) <= 1.1 * 10_000 + 1_000_000 / 30 + 5_000 && of(30) <= today / 20, String(of(30)));
  ok(of(90) <= 1.1 * 10_000 + 1_000_000 / 90 + 5_000, String(of(90)));
});

test('every second costs the listing of the root collections, shown apart', () => {
  const { reads } = forecastReads(size, { ...settings, precision: 'second' });
  equal(reads.listing, 86_400 + 4_320 + 1_440);
  equal(reads.lookups, 1_000);
});

test('the Enterprise edition bills by size: documents of 500 bytes share read units, changes do not', () => {
  const { reads } = forecastReads({ ...size, edition: 'enterprise' }, { ...settings, precision: 'interval', auditDays: 10 });
  equal(reads.audit, Math.ceil(Math.ceil(500_000_000 / 4_096) / 10));
  equal(reads.changes, 10_000);
});

test('sentences say what a short budget means for what is proven', () => {
  const of = (budget: number | undefined) =>
    consequencesOf(forecastReads(size, { ...settings, precision: 'interval', budget }), { auditDays: 30, checkReads: 2_000 });
  match(of(undefined)[0] ?? '', /^The audit reads everything within 30 days: /);
  match(of(35_000)[0] ?? '', /^The audit reads everything within \d+ days instead of 30: .* unnoticed/);
  match(of(1_000)[0] ?? '', /needs 15,\d+ reads a day, more than the budget of 1,000: it is read all the same/);
  match(of(1_000)[1] ?? '', /^The audit is paused/);
  match(of(1_000)[2] ?? '', /^Counts are made for backups and restores only/);
  match(of(undefined)[1] ?? '', /^Documents are counted about every 10 hours/);
});

test('the offer names both amounts, and is made only where capture pays', () => {
  const price = { usdPerMillion: 0.6, unit: 'document' } as const;
  const offer = captureOffer({ reads: 3_100_000, withCapture: { reads: 140_321, usd: 0.0884 }, ...price });
  equal(offer?.text, 'This schedule reads 3.1 million documents a day ($1.86). With capture it would read 140,000 ($0.09).');
  deepEqual(offer?.now, { reads: 3_100_000, estimatedUsd: 1.86 });
  equal(captureOffer({ reads: 1_000, withCapture: { reads: 9_000, usd: 0.0054 }, ...price }), undefined);
});
