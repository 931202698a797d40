/** The end of `bms restore --wait`. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import { followRestore } from '../../../../infra/cli/context/run-planned.ts';
import { Output } from '../../../../infra/cli/output/output.ts';
import type { Jobs } from '../../../../shared/client/index.ts';

const restore = {
  restoreJobId: 'rst_1',
  status: 'completed',
  documentsRestored: 3,
  documentsUnchanged: 0,
  documentsDeleted: 0,
  documentsSkipped: 0,
  documentsErased: 0,
  documentsFailed: 0,
  unknownCollections: [],
  unknownCollectionsCount: 0,
  notFound: [],
  notFoundCount: 0,
  partial: null,
  failures: [],
  undoUntil: null,
  error: null,
  findings: [{ object: 'chunk/00000001-0000', problem: 'size', message: 'The object has 9 bytes instead of 5' }],
  findingsCount: 3,
} as unknown as Jobs['restore'];

const follow = async (ended: Jobs['restore'], options: { readonly json?: boolean } = {}) => {
  const out: string[] = [];
  const warned: string[] = [];
  const streams = { stdout: { write: (text: string) => out.push(text) }, stderr: { write: (text: string) => warned.push(text) } };
  const terminal = { columns: 80, paint: (_: string, text: string) => text, paintNote: (_: string, text: string) => text };
  const output = new Output(streams as never, options, terminal as never);
  const client = async () => ({ waitFor: async () => ended });
  const context = { output, client, environment: { env: {}, ...streams } };
  const failure = await followRestore(context as never, ended, { wait: true }).then(
    () => undefined,
    (error: Error) => error,
  );
  return { out: out.join(''), warned: warned.join(''), failure };
};

const warnings = `warning: finding in the storage of the backup: chunk/00000001-0000: The object has 9 bytes instead of 5
warning: finding in the storage of the backup: and 2 more
`;

test('bms restore --wait: warns of findings about the backup, although the restore completed', async () => {
  const { out, warned, failure } = await follow(restore);
  equal(out, 'Restore rst_1 completed: 3 restored, 0 deleted, 0 unchanged\n');
  equal(warned, warnings);
  equal(failure, undefined);
  equal((await follow({ ...restore, findings: [], findingsCount: 0 })).warned, '');
});

test('bms restore --wait --json: the warnings leave stdout to the JSON value', async () => {
  const { out, warned } = await follow(restore, { json: true });
  deepEqual(JSON.parse(out), restore);
  equal(warned, warnings);
});

test('bms restore --wait: a restore that failed warns of findings, too, and fails', async () => {
  const { warned, failure } = await follow({
    ...restore,
    status: 'failed',
    error: { code: 'CHUNK_CORRUPT', message: 'The chunk is damaged' } as never,
  });
  equal(warned, warnings);
  await rejects(Promise.reject(failure), /restore rst_1 failed: The chunk is damaged \(CHUNK_CORRUPT\)/);
});
