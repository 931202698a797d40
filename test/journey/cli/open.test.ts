/** A backup on this machine through the service: the official client reads it without the bucket and the key. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { Firestore as Client } from '@google-cloud/firestore';
import { beforeAll, test } from 'vitest';
import { type Bms, type BmsRun, openBms } from '../../harness/env/run-bms.ts';
import { newBucket, seed } from '../../harness/stage/backup.ts';
import { stageUrl } from '../../harness/stage/client.ts';
import { newEmail, signIn } from '../../harness/stage/person.ts';

let bms: Bms;
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

/** Opens the newest backup until `work` is done. */
const opened = async (args: readonly string[], work: (client: Client) => Promise<void>): Promise<BmsRun> => {
  let child: ChildProcess | undefined;
  let tell: (line: string) => void = () => undefined;
  const line = new Promise<string>((resolve) => {
    tell = resolve;
  });
  const ended = bms.run(['open', 'latest', '--project', 'shop', '--port', '0', '--json', ...args], {
    onStart: (started) => {
      child = started;
      started.stdout?.once('data', (part: Buffer) => tell(part.toString()));
      started.once('close', () => tell(''));
    },
  });
  const out = await line;
  if (out === '') return ended;
  const { address, project } = JSON.parse(out) as { address: string; project: string };
  const client = new Client({ projectId: project, host: address, ssl: false });
  try {
    await work(client);
  } finally {
    await client.terminate();
    child?.kill('SIGINT');
  }
  return ended;
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
