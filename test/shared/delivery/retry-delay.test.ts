import { ok } from 'node:assert/strict';
import * as fc from 'fast-check';
import { test } from 'vitest';
import { retryDelaysSeconds } from '../../../shared/contract/limits.ts';
import { retryDelay } from '../../../shared/delivery/retry-delay.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const attempt = fc.integer({ min: 1, max: 4 });

test('retryDelay: the documented delay plus up to 10%, in whole seconds', () =>
  fc.assert(
    fc.property(attempt, chance, (n, by) => {
      const [base, delay] = [retryDelaysSeconds[n - 1]!, retryDelay(n, { retryAfter: undefined, now, random: by })];
      ok(Number.isInteger(delay) && delay >= base && delay <= base * 1.1, `${delay}`);
    }),
  ));

test('retryDelay: with any Retry-After the delay is between the documented one and twice that', () =>
  fc.assert(
    fc.property(
      attempt,
      chance,
      fc.oneof(
        fc.string(),
        fc.nat().map(String),
        fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      ),
      (n, by, asked) => {
        const [base, delay] = [retryDelaysSeconds[n - 1]!, retryDelay(n, { retryAfter: asked, now, random: by })];
        ok(Number.isInteger(delay) && delay >= base && delay <= base * 2, `${delay}`);
      },
    ),
  ));
