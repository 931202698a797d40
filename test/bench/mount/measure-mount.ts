/**
 * A large backup that is opened as a database: from the command to `ready`, the first document, and the peak of memory after 20,000 single
 * documents and a scan of all. The tests of the mount count the ranges that the first document takes.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Firestore as Client } from '@google-cloud/firestore';
import { passphrase } from '../../harness/builders/sample-archive-folder.ts';
import { openArchive } from '../../harness/env/run-archive-command.ts';
import { type Goal, goalColumns, goalRow, printTable, reaches, whole } from '../print.ts';

const documents = Number(process.env.BENCH_DOCUMENTS ?? 1_000_000);
const readyGoal: Goal = { must: 3, aim: 1, kind: 'most' };
const memoryGoal: Goal = { must: 256, aim: 160, kind: 'most' };

export const measureMount = async (dir: string): Promise<boolean> => {
  const folder = join(dir, 'mounted');
  mkdirSync(folder);
  execFileSync(process.execPath, [fileURLToPath(new URL('write-backup.ts', import.meta.url)), folder, String(documents)]);
  const open = () => openArchive([folder, '--json'], { ARCHIVE_PASSPHRASE: passphrase });
  // The first run fills the cache of compiled code, as the second use of an installed program has it.
  await (await open()).end();
  const beganMs = performance.now();
  const { out, pid, end } = await open();
  const readySeconds = (performance.now() - beganMs) / 1_000;
  const { address, project } = JSON.parse(out) as { address: string; project: string };
  const client = new Client({ projectId: project, host: address, ssl: false });
  await client.doc('things/none').get();
  const askedMs = performance.now();
  const name = (i: number): string => `things/${String(i).padStart(7, '0')}`;
  if (!(await client.doc(name(documents >> 1)).get()).exists) throw new Error('the document is not there');
  const firstMs = performance.now() - askedMs;
  for (let i = 0; i < 20_000; i += 100)
    await client.getAll(...Array.from({ length: 100 }, (_, n) => client.doc(name(((i + n) * 49_999) % documents))));
  const lookedUp = peakMib(pid);
  const { count } = (await client.collection('things').count().get()).data();
  if (count !== documents) throw new Error(`${count} of ${documents} documents were counted`);
  let scanned = 0;
  for await (const _ of client.collection('things').select().stream()) scanned += 1;
  if (scanned !== documents) throw new Error(`${scanned} of ${documents} documents were scanned`);
  await client.terminate();
  const peak = peakMib(pid);
  await end();
  printTable(`A backup of ${whole(documents)} documents as a database`, goalColumns, [
    goalRow('seconds from the command to ready', { value: readySeconds, goal: readyGoal }),
    ['milliseconds for the first document', whole(firstMs), '', ''],
    ['peak MiB after 20,000 documents at random', whole(lookedUp), '', ''],
    goalRow('peak MiB after a count and a scan of all, too', { value: peak, goal: memoryGoal, show: whole }),
  ]);
  return reaches(readySeconds, readyGoal.must, 'most') && reaches(peak, memoryGoal.must, 'most');
};

const peakMib = (pid: number | undefined): number => {
  const [, kib = 'NaN'] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1_024;
};
