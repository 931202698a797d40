/** The rules by which findings in captured changes add to a mark. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import type { Run, UnusualShare } from '../../../../shared/anomaly/index.ts';
import { addCaptured, capturedAnomaly, capturedPart } from '../../../../shared/stored-backup/anomaly/captured-part.ts';
import type { BackupAnomaly } from '../../../../shared/stored-backup/index.ts';
import { newBackup } from '../../../harness/env/move-env.ts';

const start = Date.UTC(2030, 0, 1);
const finding = (collection: string, documents: number, kind: 'deleted' | 'entropy' = 'deleted'): UnusualShare => ({
  ...{ collection, kind, field: null },
  ...{ observed: { documents, total: 100, share: documents / 100 }, expected: { min: 0, max: 0.12 } },
});

/** Batches of one minute each; in each the findings are what the batch itself did. */
const addAll = (base: Parameters<typeof addCaptured>[0], batches: readonly (readonly UnusualShare[])[]) => {
  let marked = base;
  const news = batches.map((findings, n) => {
    const at = start + n * 60_000;
    const activity: Run['activity'] = new Map(
      findings.map(({ collection, kind, observed: { documents } }) => [
        collection ?? '',
        { previous: 100, changed: 0, added: 0, deleted: 0, opaque: 0, [kind === 'entropy' ? 'opaque' : kind]: documents },
      ]),
    );
    const run: Run = { id: `b${n}`, at, state: 'open', activity };
    const added = addCaptured(marked, { findings, run, from: new Date(at - 60_000).toISOString() }, new Date(at + 1_000));
    marked = { ...marked, ...added.marked };
    return added.news.map(({ collection, kind, observed }) => `${collection} ${kind} ${observed.documents}`);
  });
  return { marked, news };
};

test('captured findings: the same one adds up and is reported when it has grown by half, at most until all are gone', () => {
  const { marked, news } = addAll(
    newBackup({}),
    Array.from({ length: 12 }, () => [finding('users', 13)]),
  );
  const expected = ['users deleted 13', 'users deleted 26', 'users deleted 39', 'users deleted 65', 'users deleted 100'];
  deepEqual(news.flat(), expected);
  deepEqual(
    marked.anomaly?.findings.map(({ observed }) => observed),
    [{ documents: 100, total: 100, share: 1 }],
  );
  equal(marked.anomaly?.before, new Date(start - 60_000).toISOString());
  equal(marked.anomalyRevision, 12);
  const { firstAt, lastAt } = capturedPart(marked)!;
  deepEqual([firstAt, lastAt], [start, start + 11 * 60_000]);
});

test('captured findings: another kind is news and comes first; the list is bounded and does not report the same again', () => {
  const { marked, news } = addAll(newBackup({}), [[finding('users', 90)], [finding('users', 5, 'entropy')]]);
  deepEqual(news, [['users deleted 90'], ['users entropy 5']]);
  deepEqual(
    marked.anomaly?.findings.map(({ kind }) => kind),
    ['entropy', 'deleted'],
  );
  const many = Array.from({ length: 80 }, (_, n) => finding(`c${n}`, 99 - n));
  const flood = addAll(newBackup({}), [many, many.slice(0, 20), many.slice(60)]);
  deepEqual(
    flood.news.map(({ length }) => length),
    [50, 0, 0],
  );
  equal(flood.marked.anomaly?.findings.length, 50);
});

test('captured findings: what was found in the backup itself stays, and an acknowledged mark begins anew', () => {
  const own = Array.from({ length: 50 }, (_, n) => ({ ...finding(`own${n}`, 50), message: '' }));
  const anomaly: BackupAnomaly = {
    ...{ detectedAt: new Date(start).toISOString(), source: 'backup', findings: own, comparedWith: null, keptBackupId: 'kept' },
    ...{ before: null, acknowledgedAt: null, acknowledgedBy: null, note: null },
  };
  const many = Array.from({ length: 40 }, (_, n) => finding(`c${n}`, 99 - n));
  const { marked } = addAll({ ...newBackup({}), anomaly, anomalyState: 'open' }, [many, many]);
  const names = marked.anomaly!.findings.map(({ collection }) => String(collection));
  deepEqual([names.length, names.filter((name) => name.startsWith('own')).length], [50, 25]);
  deepEqual([marked.anomaly?.source, marked.anomaly?.keptBackupId, marked.anomaly?.before], ['backup', 'kept', null]);
  const shown = capturedAnomaly(marked)!;
  deepEqual([shown.source, shown.keptBackupId, shown.findings.length], ['capture', marked.id, 25]);
  ok(shown.before);
  const again = addAll({ ...marked, anomalyState: 'acknowledged', anomalyCaptured: undefined }, [[finding('users', 20)]]);
  deepEqual(
    again.marked.anomaly?.findings.map(({ collection }) => collection),
    ['users'],
  );
  deepEqual([again.marked.anomaly?.source, again.marked.anomalyRevision], ['capture', marked.anomalyRevision! + 1]);
});
