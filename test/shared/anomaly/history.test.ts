import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { decodeHistory, encodeHistory } from '../../../shared/anomaly/index.ts';
import { shownFindings } from '../../../shared/stored-backup/anomaly/judge-backup.ts';

/** As long as Firestore allows. */
const nameOf = (n: number): string => `${n}`.padEnd(1_500, 'c');

test('history: the longest names of collections do not make it too large to store', () => {
  const activity = new Map(
    Array.from({ length: 500 }, (_, n) => [nameOf(n), { previous: 900, deleted: n, changed: 2, added: 3, opaque: 4 }]),
  );
  const runs = Array.from({ length: 12 }, (_, n) => ({ id: `bkp_${n}`, at: n, state: 'normal' as const, activity }));
  const encoded = encodeHistory({ runs, stock: new Map(), at: 12 });
  ok(Buffer.byteLength(encoded.runs) <= 120_000);
  const { runs: kept } = decodeHistory(encoded);
  deepEqual(kept.at(-1)?.id, 'bkp_11');
  ok(kept.length >= 9 && kept[0]!.activity.has(nameOf(499)));
});

test('findings: those of the largest shares, as many as an event can hold', () => {
  const findings = Array.from({ length: 80 }, (_, n) => ({
    ...{ collection: nameOf(n), kind: 'deleted' as const, field: null, expected: { min: 0, max: 0.1 } },
    observed: { documents: n, total: 100, share: n / 100 },
  }));
  const shown = shownFindings(findings);
  ok(shown.length > 5 && Buffer.byteLength(JSON.stringify(shown)) < 61_000);
  deepEqual(shown[0]?.collection, nameOf(79));
});
