/** A backup on this machine through the service: the official client reads it without the bucket and the key. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Firestore as Client } from '@google-cloud/firestore';
import { beforeAll, test } from 'vitest';
import { startFirestore } from '../../../infra/local/engines/firestore/index.ts';
import { type Bms, type BmsRun, openBms } from '../../harness/env/run-bms.ts';
import { newBucket, seed } from '../../harness/stage/backup.ts';
import { stageUrl, stageVariable } from '../../harness/stage/client.ts';
import { addFault } from '../../harness/stage/firestore-faults.ts';
import { newEmail, signIn } from '../../harness/stage/person.ts';

let bms: Bms;
const rules = [{ collection: 'users', field: 'name', transform: 'fake', type: 'name' }];
const source = `cli-open-${process.pid}`;
const idOf = (i: number): string => `item-${String(i).padStart(4, '0')}`;

beforeAll(async () => {
  const { accessToken } = await signIn(newEmail('cli-open'));
  bms = openBms({ BMS_URL: stageUrl() });
  equal((await bms.run(['login', '--token'], { input: `${accessToken}\n` })).code, 0);
  const succeeds = async (...args: readonly string[]): Promise<void> => {
    const { code, err } = await bms.run(args);
    equal(code, 0, err);
  };
  await succeeds('orgs', 'create', 'Openers');
  const storage = ['storage', 'create', 'Mine', '--type', 's3', '--bucket', await newBucket(), '--access-key-id', 'AKIATEST'];
  equal((await bms.run(storage, { input: 'not-so-secret\n' })).code, 0);
  await seed(source, {
    ...Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`items/${idOf(i)}`, { n: { integerValue: String(i) } }])),
    'users/ada': { name: { stringValue: 'Ada' }, balance: { doubleValue: 0.1 } },
    'users/ada/orders/1': { total: { integerValue: '9007199254740993' } },
    'users/grace/orders/2': { total: { integerValue: '2' } },
    'users/grace/orders/3': { total: { integerValue: '3' } },
  });
  await succeeds('projects', 'connect', source, '--name', 'Shop', '--storage', 'Mine');
  await succeeds('backup', 'create', '--project', 'shop', '--wait');
});

/** Runs a command that serves until it is interrupted. */
const serve = async (args: readonly string[]) => {
  let child: ChildProcess | undefined;
  let tell: (line: string) => void = () => undefined;
  const line = new Promise<string>((resolve) => {
    tell = resolve;
  });
  const ended = bms.run([...args, '--port', '0', '--json'], {
    onStart: (started) => {
      child = started;
      started.stdout?.once('data', (part: Buffer) => tell(part.toString()));
      started.once('close', () => tell(''));
    },
  });
  const end = (): Promise<BmsRun> => {
    child?.kill('SIGINT');
    return ended;
  };
  return { out: await line, end };
};

/** Opens the newest backup until `work` is done. */
const opened = (args: readonly string[], work: (client: Client) => Promise<void>): Promise<BmsRun> =>
  openedAs(['latest', ...args], work);

const openedAs = async (args: readonly string[], work: (client: Client) => Promise<void>): Promise<BmsRun> => {
  const { out, end } = await serve(['open', '--project', 'shop', ...args]);
  if (out === '') return end();
  const { address, project } = JSON.parse(out) as { address: string; project: string };
  const client = new Client({ projectId: project, host: address, ssl: false });
  try {
    await work(client);
  } finally {
    await client.terminate();
    await end();
  }
  return end();
};

test('bms open: the official client reads documents, collections, groups, cursors and either order', async () => {
  const { code, err } = await opened([], async (client) => {
    const items = client.collection('items');
    equal((await items.get()).size, 250);
    equal((await items.count().get()).data().count, 250);
    const page = await items.orderBy('__name__').startAfter(idOf(120)).limit(3).get();
    deepEqual(
      page.docs.map(({ id }) => id),
      [121, 122, 123].map(idOf),
    );
    const last = await items.orderBy('__name__', 'desc').limit(2).get();
    deepEqual(
      last.docs.map(({ id }) => id),
      [249, 248].map(idOf),
    );
    deepEqual(
      (await items.where('n', '>=', 240).where('n', '<', 242).get()).docs.map(({ id }) => id),
      [240, 241].map(idOf),
    );
    const ada = (await client.doc('users/ada').get()).data() ?? {};
    ok(ada.name === 'Ada' && ada.balance === 0.1);
    equal((await client.doc('users/none').get()).exists, false);
    const orders = await client.collectionGroup('orders').get();
    deepEqual(
      orders.docs.map(({ ref }) => ref.path),
      ['users/ada/orders/1', 'users/grace/orders/2', 'users/grace/orders/3'],
    );
    deepEqual(
      (await client.collection('users').listDocuments()).map(({ id }) => id),
      ['ada', 'grace'],
    );
    deepEqual(
      (await client.listCollections()).map(({ id }) => id),
      ['items', 'users'],
    );
    await client.doc('users/ada').update({ name: 'Ada L.' });
    await client.doc(`items/${idOf(0)}`).delete();
    equal((await client.doc('users/ada').get()).get('name'), 'Ada L.');
    equal((await items.count().get()).data().count, 249);
    await rejects(client.doc('users/ada').create({}), { code: 6 });
  });
  equal(code, 0, err);
  match(err, new RegExp(`^bkp_\\w+ of projects/${source}/databases/\\(default\\) at \\S+: 254 documents\n`));
});

test('bms open: an overlay is there again, the source has not changed, and every page is in the audit log', async () => {
  const overlay = join(bms.env.XDG_CONFIG_HOME, 'overlay');
  await opened(['--overlay', overlay], async (client) => void (await client.doc('users/new').set({ a: 1 })));
  const again = await opened(['--overlay', overlay], async (client) => {
    deepEqual((await client.doc('users/new').get()).data(), { a: 1 });
  });
  equal(again.code, 0, again.err);
  const plain = await opened([], async (client) => equal((await client.doc('users/new').get()).exists, false));
  equal(plain.code, 0, plain.err);
  const audit = await bms.json<readonly { action: string }[]>('audit', '--limit', '50');
  ok(audit.some(({ action }) => action === 'backup.browsed'));
});

test('bms open: what cannot be opened is refused', async () => {
  const missing = await bms.run(['open', 'bkp_01JZ8Q4V0M6TMISSING000000']);
  equal(missing.code, 4, missing.err);
  const port = await bms.run(['open', 'latest', '--project', 'shop', '--port', '70000']);
  deepEqual([port.code, port.out], [2, '']);
});

test('bms open: several backups are databases of one project, and masked', async () => {
  const file = join(bms.env.XDG_CONFIG_HOME, 'rules.json');
  writeFileSync(file, JSON.stringify(rules));
  const { out, end } = await serve(['open', '--databases', 'monday=latest,tuesday=latest', '--project', 'shop', '--mask', file]);
  const { address, databases } = JSON.parse(out) as { address: string; databases: { database: string }[] };
  deepEqual(
    databases.map(({ database }) => database),
    ['monday', 'tuesday'],
  );
  const client = new Client({ projectId: source, databaseId: 'tuesday', host: address, ssl: false });
  const ada = await client.doc('users/ada').get();
  equal(ada.get('balance'), 0.1);
  ok(ada.get('name') !== 'Ada');
  await client.terminate();
  await end();
});

test('bms pull: chosen collections are in the emulator, masked, and the plan has counted them', async () => {
  const file = join(bms.env.XDG_CONFIG_HOME, 'rules.json');
  writeFileSync(file, JSON.stringify(rules));
  const emulator = await startFirestore();
  const client = new Client({ projectId: 'try', host: emulator.address, ssl: false });
  const pull = ['pull', 'users', 'items', '--project', 'shop', '--into', emulator.address, '--as', 'try', '--limit', '20'];
  try {
    const planned = await bms.run([...pull, '--dry-run']);
    equal(planned.code, 0, planned.err);
    match(planned.out, /^users: 4 documents, \d+ B\nitems: 20 documents, [\d.]+ KB\n$/);
    equal((await client.collection('items').get()).size, 0);
    const { documents, database } = await bms.json<{ documents: number; database: string }>(...pull, '--mask', file);
    deepEqual([documents, database], [24, 'projects/try/databases/(default)']);
    equal((await client.collection('items').get()).size, 20);
    equal((await client.collectionGroup('orders').get()).size, 3);
    ok((await client.doc('users/ada').get()).get('name') !== 'Ada');
    equal((await bms.run([...pull, '--into', 'https://firestore.googleapis.com'])).code, 2);
    equal((await bms.run(['pull', 'users/ada', '--project', 'shop'])).code, 2);
  } finally {
    await client.terminate();
    await emulator.stop();
  }
});

test('bms open: users are not served through the service, which is said with their number', async () => {
  const url = `http://${stageVariable('STAGE_FIRESTORE')}/v1/projects/${source}/accounts:batchCreate`;
  const headers = { 'content-type': 'application/json', authorization: 'Bearer owner' };
  const users = ['ada', 'grace'].map((localId) => ({
    localId,
    email: `${localId}@shop.test`,
  }));
  equal((await fetch(url, { method: 'POST', headers, body: JSON.stringify({ users }) })).status, 200);
  const { code: created, err: why } = await bms.run(['backup', 'create', '--project', 'shop', '--users', '--wait']);
  equal(created, 0, why);
  const { code, err } = await opened([], async (client) => equal((await client.doc('users/ada').get()).get('name'), 'Ada'));
  equal(code, 0, err);
  match(err, /\n2 users of Firebase Authentication are not served: .*bms archive open/);
});

const withLive = async <T>(work: (live: Client) => Promise<T>): Promise<T> => {
  const live = new Client({ projectId: source, host: stageVariable('STAGE_FIRESTORE'), ssl: false });
  try {
    return await work(live);
  } finally {
    await live.terminate();
  }
};

const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await pause(500);
};

/** The second before the mistake, once all of it is captured. */
const captureMistake = async (): Promise<string> => {
  const enabled = await bms.run(['pitr', 'enable', 'shop', '--interval', '10', '--storage', 'Mine', '--wait']);
  equal(enabled.code, 0, enabled.err);
  return withLive(async (live) => {
    await live.doc('users/alan').set({ name: 'Alan' });
    await until(async () => (await bms.json<{ changesCaptured: number }>('pitr', 'show', 'shop')).changesCaptured > 0);
    await pause(1_000 - (Date.now() % 1_000) + 50);
    const second = new Date(Math.floor(Date.now() / 1_000) * 1_000).toISOString();
    await live.doc('users/ada').update({ name: 'Overwritten' });
    await live.recursiveDelete(live.collection('users/grace/orders'));
    await live.doc('users/alan').delete();
    const isCaptured = async (): Promise<boolean> => {
      const { windows } = await bms.json<{ windows: { from: string; to: string; complete: boolean }[] }>(
        'pitr',
        'windows',
        'shop',
      );
      return windows.some(({ from, to, complete }) => complete && from <= second && second < to);
    };
    await until(isCaptured);
    return second;
  });
};

/** Captured once: the tests that follow read the same moment. */
let mistake: Promise<string> | undefined;
const secondBefore = (): Promise<string> => (mistake ??= captureMistake());

test('bms open --at: documents are as they were at the moment, also those deleted since, and it is built once', async () => {
  const second = await secondBefore();
  const before = await bms.json<readonly { id: string }[]>('restore', 'ls');
  const first = await openedAs(['--at', second], async (client) => {
    equal((await client.doc('users/ada').get()).get('name'), 'Ada');
    deepEqual((await client.doc('users/alan').get()).data(), { name: 'Alan' });
    equal((await client.collectionGroup('orders').get()).size, 3);
    equal((await client.collection('items').count().get()).data().count, 250);
  });
  equal(first.code, 0, first.err);
  match(first.err, /^rst_\w+ builds (bkp_\w+) for this moment from the captured changes/);
  match(first.err, /kept until 20\d\d-\d\d-\d\d \d\d:\d\d:\d\dZ; then it is deleted/);
  const [, built] = / builds (bkp_\w+) /.exec(first.err) ?? [];
  const again = await openedAs(['--at', second.replace('.000Z', 'Z')], async (client) => {
    equal((await client.doc('users/alan').get()).get('name'), 'Alan');
  });
  match(again.err, new RegExp(`^${built} was built for this moment before\n`));
  equal((await bms.json<readonly { id: string }[]>('restore', 'ls')).length, before.length + 1);
  await withLive(async (live) => equal((await live.doc('users/ada').get()).get('name'), 'Overwritten'));
});

test('bms open --collections: serves only these of a backup and of a moment, and says what is absent', async () => {
  const absent = async (client: Client): Promise<void> => {
    equal((await client.collection('items').count().get()).data().count, 0);
    equal((await client.doc(`items/${idOf(1)}`).get()).exists, false);
    deepEqual(
      (await client.listCollections()).map(({ id }) => id),
      ['users'],
    );
  };
  const ofBackup = await opened(['--collections', 'users,usres'], async (client) => {
    await absent(client);
    equal((await client.collectionGroup('orders').get()).size, 3);
  });
  equal(ofBackup.code, 0, ofBackup.err);
  match(ofBackup.err, /Only users, usres are served, with what is below the documents\. Everything else is absent\n/);
  match(ofBackup.err, /warning: bkp_\w+ has no document in usres\n/);
  const second = await secondBefore();
  const ofMoment = await openedAs(['--at', second, '--collections', 'users', '--no-subcollections'], async (client) => {
    await absent(client);
    equal((await client.doc('users/ada').get()).get('name'), 'Ada');
    equal((await client.collectionGroup('orders').get()).size, 0);
  });
  equal(ofMoment.code, 0, ofMoment.err);
  match(ofMoment.err, /Only users is served, without what is below the documents/);
  for (const args of [
    ['latest', '--no-subcollections'],
    ['latest', '--collections', 'users/ada'],
  ])
    equal((await bms.run(['open', '--project', 'shop', ...args])).code, 2);
});

test('bms open --databases: a moment is served beside a backup', async () => {
  const second = await secondBefore();
  equal((await bms.run(['backup', 'create', '--project', 'shop', '--wait'])).code, 0);
  const { out, end } = await serve(['open', '--databases', `then=${second},after=latest`, '--project', 'shop']);
  const { address } = JSON.parse(out) as { address: string };
  const nameIn = async (databaseId: string): Promise<unknown> => {
    const client = new Client({ projectId: source, databaseId, host: address, ssl: false });
    const name = (await client.doc('users/ada').get()).get('name');
    await client.terminate();
    return name;
  };
  deepEqual([await nameIn('then'), await nameIn('after')], ['Ada', 'Overwritten']);
  const { err } = await end();
  match(err, /(bkp_\w+) was built for this moment, and is kept until/);
});

test('bms open --at: waits while the project has a backup, and says so', async () => {
  await secondBefore();
  const { windows } = await bms.json<{ windows: { to: string; complete: boolean }[] }>('pitr', 'windows', 'shop');
  const last = Date.parse(windows.findLast(({ complete }) => complete)?.to ?? '');
  const at = new Date(Math.floor(last / 1_000 - 1) * 1_000).toISOString();
  const mend = await addFault({ project: source, method: 'RunQuery', delayMs: 500, times: 10_000 });
  const created = await bms.run(['backup', 'create', '--project', 'shop', '--source', 'read']);
  equal(created.code, 0, created.err);
  let child: ChildProcess | undefined;
  let told = '';
  const end = (): void => void child?.kill('SIGINT');
  const { err } = await bms.run(['open', '--at', at, '--project', 'shop', '--port', '0', '--json'], {
    onStart: (started) => {
      child = started;
      started.stderr?.on('data', (part: Buffer) => {
        told += part.toString();
        if (told.includes('Ctrl-C ends the wait')) void mend();
      });
      started.stdout?.once('data', end);
    },
  });
  await mend();
  match(err, /The moment is built after that; Ctrl-C ends the wait\nrst_\w+ builds bkp_\w+ for this moment/);
});

test('bms open --at: a moment that cannot be restored is refused in the words of a restore, and what is ambiguous is bad input', async () => {
  const wordsOf = ({ err }: BmsRun): string => err.replace(/request [-\w]+/, 'request');
  const at = ['--at', '2020-01-01T00:00:00Z', '--project', 'shop'];
  const [open, restore] = [await bms.run(['open', ...at]), await bms.run(['restore', ...at, '--dry-run'])];
  deepEqual([open.code, open.out, restore.code], [1, '', 1]);
  match(open.err, /cannot be restored to 2020-01-01T00:00:00.000Z: the earliest moment is /);
  equal(wordsOf(open), wordsOf(restore));
  for (const args of [
    ['--at', '10m'],
    ['latest', ...at],
    ['--databases', 'monday=latest', ...at],
    ['--databases', 'then=10m'],
    ['--databases', 'then=2026-13-40', '--project', 'shop'],
    [],
  ])
    equal((await bms.run(['open', ...args])).code, 2);
});
