/** `bms archive open` on stored fixtures: a backup becomes a Firestore on this machine, with the bucket and the key alone. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Firestore as Client, type DocumentReference } from '@google-cloud/firestore';
import { afterAll, test } from 'vitest';
import { sealErasures } from '../../../shared/archive/index.ts';
import { chance, samples } from '../../harness/builders/sample-archive.ts';
import { identity, passphrase, sampleBackup, writeObjects } from '../../harness/builders/sample-archive-folder.ts';
import { lines, openArchive, runArchive } from '../../harness/env/run-archive-command.ts';

const folder = fileURLToPath(new URL('../../fixture/archive/v2', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'archive-open-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const expectedOf = (backup: string) =>
  JSON.parse(readFileSync(join(folder, backup, 'expected.json'), 'utf8')) as { readonly passphrase: string };
const env = { ARCHIVE_PASSPHRASE: expectedOf('bkp_full').passphrase };
const pathsOf = (backup: string): readonly string[] =>
  lines(readFileSync(join(folder, backup, 'expected.ndjson'), 'utf8'))
    .map((line) => JSON.parse(line) as { kind: number; name: string })
    .filter(({ kind }) => kind === 1)
    .map(({ name }) => name.split('/documents/')[1] ?? '');

const clientOf = (out: string, databaseId = '(default)'): Client => {
  const { address, project } = JSON.parse(out) as { address: string; project: string };
  return new Client({ projectId: project, databaseId, host: address, ssl: false });
};
/** All documents, as a query of no collection gives them. */
const everyPath = async (address: string): Promise<readonly string[]> => {
  const response = await fetch(`http://${address}/v1/projects/p/databases/(default)/documents:runQuery`, {
    method: 'POST',
    body: JSON.stringify({ structuredQuery: { from: [{ allDescendants: true }] } }),
  });
  const rows = (await response.json()) as { document?: { name: string } }[];
  return rows.flatMap(({ document }) => (document ? [document.name.split('/documents/')[1] ?? ''] : []));
};

for (const backup of ['bkp_full', 'bkp_increment', 'bkp_empty'])
  test(`archive open: ${backup} is served with all its documents, in order, without tombstones and users`, async () => {
    const { out, end } = await openArchive([join(folder, backup), '--json'], env);
    const { address, database } = JSON.parse(out) as { address: string; database: string };
    deepEqual(await everyPath(address), pathsOf(backup));
    equal(database, '(default)');
    equal((await end()).code, 0);
  });

test('archive open: names of every kind, and typed values, are exact for the official client', async () => {
  const { out, end } = await openArchive([join(folder, 'bkp_full'), '--json'], env);
  const client = clientOf(out);
  const hard = await client.collection('hard').get();
  deepEqual(
    hard.docs.map(({ ref }) => ref.path),
    pathsOf('bkp_full').filter((path) => path.startsWith('hard/') && path.split('/').length === 2),
  );
  const all = (await client.doc('types/all').get()).data() ?? {};
  equal(all.notANumber, Number.NaN);
  equal(all.text, 'Grüße 東京 🚀 \u0000 end');
  deepEqual(all.bytes, Buffer.from('AAH+/w==', 'base64'));
  await client.doc('types/all').set({ changed: true });
  deepEqual((await client.doc('types/all').get()).data(), { changed: true });
  await client.terminate();
  const ended = await end('SIGTERM');
  equal(ended.code, 0);
  match(ended.err, /^bkp_full of projects\/p\/databases\/\(default\) at 2026-\S+: 98 documents\n/);
});

test('archive open: without --json it prints what an application needs, with --quiet the address', async () => {
  const plain = await openArchive([join(folder, 'bkp_full')], env);
  match(plain.out, /^ready http:\/\/(127\.0\.0\.1:\d+) {2}\(FIRESTORE_EMULATOR_HOST=\1 GOOGLE_CLOUD_PROJECT=p\)\n$/);
  await plain.end();
  const quiet = await openArchive([join(folder, 'bkp_full'), '--quiet'], env);
  match(quiet.out, /^127\.0\.0\.1:\d+\n$/);
  deepEqual(await quiet.end(), { code: 0, err: '' });
});

test('archive open: documents that were erased are absent', async () => {
  const dataKey = chance('a key')(32);
  const { objects } = await sampleBackup(dataKey, undefined, { documents: samples(700, { textBytes: 600 }) });
  const at = join(scratch, 'erased');
  writeObjects(at, objects);
  const erasures = [
    { id: 'era_1', createdAt: '2026-02-01T00:00:00.000Z', paths: ['things/0000301'], includeSubcollections: false },
  ];
  writeObjects(
    at,
    new Map([
      ['erasures/00000001', await sealErasures({ version: 1, erasures }, { identity, dataKey, random: chance('ledger') })],
    ]),
  );
  const { out, end } = await openArchive([at, '--json'], { ARCHIVE_PASSPHRASE: passphrase });
  const client = clientOf(out);
  equal((await client.doc('things/0000301').get()).exists, false);
  equal((await client.doc('things/0000302').get()).exists, true);
  equal((await client.collection('things').count().get()).data().count, 600 - 1);
  await client.terminate();
  match((await end()).err, /erasure ledger, version 1: 1 erasures are applied/);
});

test('archive open: an overlay keeps what was written, for the same backup only', async () => {
  const overlay = join(scratch, 'overlay');
  const open = () => openArchive([join(folder, 'bkp_full'), '--json', '--overlay', overlay], env);
  const first = await open();
  const before = clientOf(first.out);
  await before.doc('types/all').delete();
  await before.doc('types/new').set({ a: 1 });
  await before.terminate();
  match((await first.end()).err, /What is written stays in .*overlay\./);
  const second = await open();
  const after = clientOf(second.out);
  deepEqual(
    (await after.collection('types').get()).docs.map(({ id }) => id),
    ['empty', 'new'],
  );
  await after.terminate();
  await second.end();
  const other = await runArchive(['open', join(folder, 'bkp_empty'), '--overlay', overlay, '--port', '0'], env);
  equal(other.code, 2);
  match(other.err, /overlay holds what was written above bkp_full: choose another folder/);
  const foreign = await runArchive(['open', join(folder, 'bkp_full'), '--overlay', folder, '--port', '0'], env);
  match(foreign.err, /is not empty and no overlay of a backup/);
});

test('archive open: the users are served as the Auth emulator serves them, and an overlay keeps what is done with them', async () => {
  const overlay = join(scratch, 'users');
  const open = () => openArchive([join(folder, 'bkp_full'), '--json', '--overlay', overlay], env);
  const call = async (out: string, verb: string, body?: object) => {
    const { address } = JSON.parse(out) as { address: string };
    const url = `http://${address}/identitytoolkit.googleapis.com/v1/projects/p/accounts:${verb}`;
    const response = await fetch(url, body ? { method: 'POST', body: JSON.stringify(body) } : {});
    return (await response.json()) as { users?: { localId: string }[] };
  };
  const first = await open();
  deepEqual(
    (await call(first.out, 'batchGet?maxResults=10')).users?.map(({ localId }) => localId),
    ['uid-1'],
  );
  await call(first.out, 'delete', { localId: 'uid-1' });
  match((await first.end()).err, /FIREBASE_AUTH_EMULATOR_HOST: 1 users\n/);
  const second = await open();
  equal((await call(second.out, 'batchGet?maxResults=10')).users, undefined);
  await second.end();
});

test('archive open: several backups are databases of one project, and references stay in their own', async () => {
  const { out, end } = await openArchive([folder, '--databases', 'whole=bkp_full, later=bkp_increment', '--json'], env);
  const { databases } = JSON.parse(out) as { databases: { database: string; backup: string }[] };
  deepEqual(
    databases.map(({ database, backup }) => [database, backup]),
    [
      ['whole', 'bkp_full'],
      ['later', 'bkp_increment'],
    ],
  );
  for (const [databaseId, backup] of [
    ['whole', 'bkp_full'],
    ['later', 'bkp_increment'],
  ] as const) {
    const client = clientOf(out, databaseId);
    const paths = (await client.collection('hard').get()).docs.map(({ ref }) => ref.path);
    deepEqual(
      paths,
      pathsOf(backup).filter((path) => path.startsWith('hard/') && path.split('/').length === 2),
    );
    const reference = (await client.doc('types/all').get()).get('reference') as DocumentReference;
    equal(reference.firestore.databaseId, databaseId);
    await client.doc('types/all').set({ of: databaseId });
    await client.terminate();
  }
  const whole = clientOf(out, 'whole');
  equal((await whole.doc('types/all').get()).get('of'), 'whole');
  await whole.terminate();
  equal((await end()).code, 0);
  for (const [list, message] of [
    ['whole=bkp_none', /bkp_none/],
    ['UPPER=bkp_full', /lower-case/],
    ['whole=bkp_full,whole=bkp_full', /an id of its own/],
    ['bkp_full', /must be like/],
  ] as const) {
    const refused = await runArchive(['open', folder, '--databases', list, '--port', '0'], env);
    equal(refused.code, 2);
    match(refused.err, message);
  }
});

test('archive open: masked documents are masked for every reader, alike as long as the overlay exists, and users are not served', async () => {
  const rules = join(scratch, 'rules.json');
  const write = (field: string): void =>
    writeFileSync(
      rules,
      JSON.stringify([
        { collection: 'types', field, transform: 'fake', type: 'name' },
        { collection: 'nothing', field: 'here', transform: 'null' },
      ]),
    );
  write('text');
  const overlay = join(scratch, 'masked');
  const open = () => openArchive([join(folder, 'bkp_full'), '--json', '--mask', rules, '--overlay', overlay], env);
  const seen: unknown[] = [];
  for (let round = 0; round < 2; round++) {
    const { out, end } = await open();
    const client = clientOf(out);
    const text = (await client.doc('types/all').get()).get('text') as string;
    seen.push(text);
    ok(!text.includes('東京'), text);
    equal((await client.collection('types').where('text', '==', text).get()).size, 1);
    equal((await client.collection('types').where('text', '==', 'Grüße 東京 🚀 \u0000 end').get()).size, 0);
    await client.terminate();
    const { address } = JSON.parse(out) as { address: string };
    const users = await fetch(`http://${address}/identitytoolkit.googleapis.com/v1/projects/p/accounts:batchGet`);
    equal(((await users.json()) as { users?: unknown }).users, undefined);
    const { err } = await end();
    match(err, /users are not served: rules mask documents only\n/);
    match(err, /1 rules of --mask found no field in what was read/);
  }
  equal(seen[0], seen[1]);
  write('bytes');
  const others = await runArchive(['open', join(folder, 'bkp_full'), '--mask', rules, '--overlay', overlay, '--port', '0'], env);
  match(others.err, /masked holds what was written above bkp_full masked by \w+: choose another folder/);
});

test('archive open: pages of other websites are refused, except those that are named', async () => {
  const origins = ['https://app.example.com', 'http://staging.example.com:8081'];
  const { out, end } = await openArchive(
    [join(folder, 'bkp_full'), '--json', ...origins.flatMap((origin) => ['--allow-origin', origin])],
    env,
  );
  const { url } = JSON.parse(out) as { url: string };
  const statusOf = async (origin: string) => {
    const { status } = await fetch(`${url}/v1/projects/p/databases/(default)/documents/types/all`, { headers: { origin } });
    return status;
  };
  deepEqual(await Promise.all([...origins, 'http://localhost:5173', 'https://example.com'].map(statusOf)), [200, 200, 200, 403]);
  await end();
});

test('archive open: a used port, a wrong port and a wrong passphrase are refused', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const used = await runArchive(['open', join(folder, 'bkp_full'), '--port', String(port)], env);
  server.close();
  deepEqual([used.code, used.out, used.err], [2, '', `port ${port} is in use: choose another with --port\n`]);
  for (const text of ['x', '65536', '-1']) {
    const wrong = await runArchive(['open', join(folder, 'bkp_full'), `--port=${text}`], env);
    equal(wrong.code, 2);
    ok(wrong.err.startsWith('--port: must be'), wrong.err);
  }
  const closed = await runArchive(['open', join(folder, 'bkp_full'), '--port', '0'], {
    ARCHIVE_PASSPHRASE: 'a wrong passphrase',
  });
  equal(closed.code, 2);
});
