/** The command line over the stage: a backup, a look into it, a restore and its undo, and everything around them. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, test } from 'vitest';
import { type Bms, type BmsRun, openBms } from '../../harness/env/run-bms.ts';
import { newBucket, seed } from '../../harness/stage/backup.ts';
import { stageUrl } from '../../harness/stage/client.ts';
import { newOrganization, newServiceAccountKey } from '../../harness/stage/organization.ts';
import { newEmail, signIn } from '../../harness/stage/person.ts';

let bms: Bms;
let token: string;
const source = `cli-${process.pid}`;
const target = `cli-target-${process.pid}`;

const succeeds = async (...args: readonly string[]): Promise<string> => {
  const { code, out, err } = await bms.run(args);
  equal(code, 0, err);
  return out;
};
/** One line on stderr, and the usage of what was called wrongly; nothing on stdout. */
const refuses = ({ code, out, err }: BmsRun, exitCode: number, message: RegExp): void => {
  equal(code, exitCode, err);
  equal(out, '');
  match(err, exitCode === 2 ? /^bms: [^\n]*\n(usage: bms [^\n]*\n)?$/ : /^bms: [^\n]*\n$/);
  match(err, message);
};

/** No process listens there. */
const closedAddress = async (): Promise<string> => {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return `http://127.0.0.1:${port}`;
};

beforeAll(async () => {
  const person = await signIn(newEmail('cli'));
  token = person.accessToken;
  bms = openBms({ BMS_URL: stageUrl() });
  const { code, err } = await bms.run(['login', '--token'], { input: `${token}\n` });
  equal(code, 0, err);
  await succeeds('orgs', 'create', 'Command line');
  const bucket = await newBucket();
  const { code: added, err: why } = await bms.run(
    ['storage', 'create', 'Mine', '--type', 's3', '--bucket', bucket, '--access-key-id', 'AKIATEST'],
    {
      input: 'not-so-secret\n',
    },
  );
  equal(added, 0, why);
  await seed(source, {
    'users/ada': { name: { stringValue: 'Ada' }, born: { integerValue: '1815' } },
    'users/ada/notes/g': { text: { stringValue: 'Note G' } },
    'users/grace': { name: { stringValue: 'Grace\u001b[31m' } },
  });
  await succeeds('projects', 'connect', source, '--name', 'Shop', '--storage', 'Mine');
  await succeeds('projects', 'connect', target, '--name', 'Staging');
});

test('bms: says who is signed in and where, and never prints a token', async () => {
  const out = await succeeds('whoami');
  match(out, new RegExp(`Service +${stageUrl()}`));
  match(out, /Organization +Command line \(org_\w+\), owner/);
  const whoami = await bms.json<{ type: string; organizationId: string }>('whoami');
  equal(whoami.type, 'user');
  ok(!out.includes(token) && !JSON.stringify(whoami).includes(token));
});

describe('a backup', () => {
  interface Backup {
    readonly id: string;
    readonly status: string;
    readonly documentCount: number;
  }
  let backup: Backup;
  beforeAll(async () => {
    backup = await bms.json<Backup>('backup', 'create', '--project', 'shop', '--wait');
  });

  test('is created, waited for and listed', async () => {
    deepEqual({ status: backup.status, documents: backup.documentCount }, { status: 'completed', documents: 3 });
    deepEqual(
      (await bms.json<readonly Backup[]>('backup', 'ls', '--project', 'Shop', '--status', 'completed')).map(({ id }) => id),
      [backup.id],
    );
    const table = await succeeds('backup', 'ls');
    match(table, /^BACKUP +PROJECT +STATUS +DOCUMENTS +CREATED \(UTC\)\n/);
    match(table, new RegExp(`\\n${backup.id} +Shop +completed +3 `));
    equal(await succeeds('backup', 'ls', '--quiet', '--project', 'shop'), `${backup.id}\n`);
    equal(await succeeds('backup', 'ls', '--quiet', '--internal'), `${backup.id}\n`);
  });

  test('is found by id, by the beginning of its id, and as latest', async () => {
    for (const name of [backup.id, backup.id.slice(0, 20), 'latest'])
      equal((await bms.json<Backup>('backup', 'show', name)).id, backup.id);
    refuses(await bms.run(['backup', 'show', 'bkp_nope']), 4, /there is no backup named "bkp_nope"/);
  });

  test('can be browsed and read; control characters of documents are escaped', async () => {
    match(await succeeds('backup', 'browse', 'latest'), /2 +collection +users\n/);
    equal(await succeeds('backup', 'browse', 'latest', 'users', '--quiet'), 'users/ada\nusers/grace\n');
    const ada = JSON.parse(await succeeds('backup', 'cat', 'latest', 'users/ada')) as { readonly fields: object };
    deepEqual(ada.fields, { name: { stringValue: 'Ada' }, born: { integerValue: '1815' } });
    deepEqual(JSON.parse(await succeeds('backup', 'cat', 'latest', 'users/ada', '--plain')), { name: 'Ada', born: 1815 });
    const grace = await succeeds('backup', 'cat', 'latest', 'users/grace', '--plain');
    ok(!grace.includes('\u001b'));
    deepEqual(JSON.parse(grace), { name: 'Grace\u001b[31m' });
    refuses(await bms.run(['backup', 'cat', 'latest', 'users/nobody']), 4, /nothing at this path/);
    refuses(await bms.run(['backup', 'cat', 'latest', 'users']), 2, /"users" is not the path of a document/);
  });

  test('is compared with the live database, field by field', async () => {
    await seed(source, {
      'users/ada': { name: { stringValue: 'Ada Lovelace' }, born: { integerValue: '1815' } },
      'users/new': {},
    });
    const { out, err } = await bms.run(['backup', 'diff', 'latest']);
    equal(out, '~ users/ada\n+ users/new\n');
    equal(err, '1 added, 1 changed, 0 removed, 2 unchanged\n');
    equal(
      await succeeds('backup', 'diff', 'latest', 'live', '--path', 'users/ada'),
      '~ users/ada\n- name: "Ada"\n+ name: "Ada Lovelace"\n',
    );
    const differs = await bms.run(['backup', 'diff', 'latest', 'live', '--exit-code', '--quiet']);
    deepEqual([differs.code, differs.out, differs.err], [1, 'users/ada\nusers/new\n', '']);
    equal((await bms.run(['backup', 'diff', 'latest', 'latest', '--project', 'Shop', '--exit-code'])).code, 0);
  });

  test('says what happened to it, and is not listed as running', async () => {
    const entries = await bms.json<{ kind: string; status?: string }[]>('logs', 'latest', '--project', 'Shop');
    deepEqual([entries[0]?.kind, entries.at(-1)?.status], ['created', 'completed']);
    match(await succeeds('logs', 'latest', '--project', 'Shop'), /copying[\s\S]*completed/);
    deepEqual(await bms.json('watch', '--once'), []);
  });

  test('is offered by completion, from a file that a background process writes', async () => {
    await succeeds('__complete', 'projects', 'projects.1');
    await succeeds('__complete', 'collections', 'collections.1');
    const values = (kind: string): string => readFileSync(join(bms.env.XDG_CACHE_HOME, 'bms', 'values', kind), 'utf8');
    deepEqual([values('projects.1'), values('collections.1')], ['Staging\nShop\n', 'notes\nusers\n']);
  });

  test('shows a document as it was at a moment', async () => {
    const at = new Date().toISOString();
    const { code, out, err } = await bms.run(['pitr', 'cat', 'users/ada', '--at', at, '--project', 'shop', '--plain']);
    equal(code, 0, err);
    deepEqual(JSON.parse(out), { name: 'Ada', born: 1815 });
    match(err, new RegExp(`^Not exact, from ${backup.id}\\.`));
    refuses(await bms.run(['pitr', 'cat', 'users/ada', '--at', '2020-01-01', '--project', 'shop']), 4, /no completed backup/);
  });

  test('is verified', async () => {
    match(await succeeds('backup', 'verify', 'latest', '--depth', 'full', '--wait'), /passed \(full\)/);
  });

  test('is restored into another project only after a confirmation, and undone', async () => {
    const restore = ['restore', 'latest', '--project', 'shop', '--into', 'staging'];
    refuses(await bms.run(restore), 2, /add --yes to confirm, or --plan/);
    const planned = await bms.run([...restore, '--plan']);
    equal(planned.code, 0, planned.err);
    match(planned.out, /\ncreate +3 {2}missing in the target\n/);
    match(planned.out, /\n\+ users\/ada\n/);
    match(planned.err, /Nothing was written/);
    const plan = await bms.json<{ create: number; deleteDigest: string }>(...restore, '--dry-run');
    equal(plan.create, 3);
    equal((await bms.json<readonly unknown[]>('restore', 'ls')).length, 0);

    match(await succeeds(...restore, '--plan', '--yes', '--wait'), /Restore rst_\w+ completed: 3 restored, 0 deleted/);
    const undone = await bms.run(['undo', 'latest', '--plan', '--yes', '--wait']);
    equal(undone.code, 0, undone.err);
    match(undone.out, /\n- users\/grace\n/);
    match(undone.out, /completed: 0 restored, 3 deleted/);
    match(await succeeds('restore', 'show', 'latest'), /Undo of +rst_/);
  });

  test('names that the backup or the source does not have are told, and the rest is done', async () => {
    const documents = ['--documents', 'users/ada', '--documents', 'users/none,grace'];
    const args = ['restore', 'latest', '--project', 'shop', ...documents, '--yes', '--wait'];
    const restored = await bms.run(args);
    equal(restored.code, 0, restored.err);
    match(restored.err, /^warning: not in the backup: users\/none,grace$/m);
    match(await succeeds('restore', 'show', 'latest'), /\nNot in backup +users\/none,grace\n/);
    const backup = await bms.run(['backup', 'create', '--project', 'shop', '--collections', 'users,none', '--wait']);
    equal(backup.code, 0, backup.err);
    match(backup.err, /^warning: not in the source: none$/m);
  });

  test('imported from another database says so, and is not the latest', async () => {
    const { path } = await bms.json<{ path: string }>('backup', 'show', backup.id);
    const { id } = await bms.json<Backup>('backup', 'import', path, '--project', 'staging', '--storage', 'Mine');
    match(await succeeds('backup', 'show', id), /\nTrigger +import, of another database\n/);
    refuses(await bms.run(['backup', 'show', 'latest', '--project', 'staging']), 4, /other than .*imports of other databases/);
    const { id: own } = await bms.json<Backup>('backup', 'import', path, '--project', 'shop', '--storage', 'Mine');
    match(await succeeds('backup', 'show', own), /\nTrigger +import\n/);
  });

  test('a restore that is bound to an outdated plan fails before it writes', async () => {
    const stale = 'a'.repeat(64);
    const { code, out, err } = await bms.run([
      'restore',
      'latest',
      '--project',
      'shop',
      '--mode',
      'rollback',
      '--delete-digest',
      stale,
      '--yes',
      '--wait',
      '--json',
    ]);
    equal(code, 1);
    match(err, /restore rst_\w+ failed: .*\(PLAN_CHANGED\)/);
    equal((JSON.parse(out) as { status: string }).status, 'failed');
  });

  test('is where a document is found, by its path, its id and its address; find says how to restore it, and restores it', async () => {
    await seed(source, { 'users/lost': { name: { stringValue: 'Lost' } } });
    const { id } = await bms.json<Backup>('backup', 'create', '--project', 'shop', '--wait');
    await seed(source, { 'users/lost': { name: { stringValue: 'Changed' } } });
    const found = await bms.run(['find', 'users/lost', '--project', 'shop']);
    equal(found.code, 0, found.err);
    match(found.out, /^Document +users\/lost\nProject +Shop\nLive +exists, written /);
    match(found.out, new RegExp(`${id} +exists\\n`));
    equal(found.err, `Restore it: bms restore ${id} --documents users/lost --no-subcollections\n`);
    const address = `https://console.firebase.google.com/project/${source}/firestore/data/~2Fusers~2Flost`;
    equal((await bms.json<{ path: string }>('find', address)).path, 'users/lost');
    const history = await succeeds('history', address);
    match(history, /^TIME \(UTC\) +CHANGE +FIELDS +RESTORE FROM\n.* changed +name: "Lost" -> "Changed" +live now\n/);
    match(history, new RegExp(`\\n.* created +1 field +${id}\\n$`));
    refuses(await bms.run(['history', 'users/nobody', '--project', 'shop']), 4, /no state of such a document is known/);
    equal((await bms.json<{ path: string }>('find', 'lost', '--project', 'shop')).path, 'users/lost');
    refuses(await bms.run(['find', 'users/lost']), 2, /which project\? Add --project/);
    refuses(
      await bms.run(['find', 'users/nobody', '--project', 'shop']),
      4,
      /no such document in Shop: neither live nor in its \d+ backups/,
    );
    refuses(await bms.run(['find', address, '--restore']), 2, /add --yes to confirm/);
    match(await succeeds('find', address, '--restore', '--yes', '--wait'), /completed: 1 restored, 0 deleted/);
  });
});

test('schedules are created, listed, previewed, paused and deleted', async () => {
  const created = await bms.json<{ id: string; retentionPolicy: object }>(
    ...[
      'schedule',
      'create',
      'Nightly',
      '--project',
      'Shop',
      '--cron',
      '30 2 * * *',
      '--timezone',
      'Europe/Berlin',
      '--keep',
      '7d,4w',
    ],
  );
  deepEqual(created.retentionPolicy, { daily: 7, weekly: 4, monthly: 0, yearly: 0 });
  equal((await bms.json<readonly object[]>('schedule', 'next', 'Night', '--count', '3')).length, 3);
  for (const list of ['ls', 'next']) match(await succeeds('schedule', list), /PROJECT[\s\S]* Shop\b/);
  match(await succeeds('schedule', 'update', 'nightly', '--disable'), /; paused\n$/);
  deepEqual(await bms.json('schedule', 'next'), []);
  refuses(await bms.run(['schedule', 'create', 'Bad', '--project', 'Shop', '--cron', '* *']), 2, /cron: must have five fields/);
  refuses(await bms.run(['schedule', 'delete', 'Nightly']), 2, /Add --yes to confirm/);
  match(await succeeds('schedule', 'delete', 'Nightly', '--yes'), /^Deleted Nightly/);
});

test('webhooks are created with a secret that is shown once, and a failed test has exit code 1', async () => {
  const created = await bms.json<{ id: string; secret: string }>(
    ...['webhook', 'create', 'Ops', '--url', 'https://hooks.invalid/x', '--events', 'backup.*,restore.failed'],
  );
  ok(created.secret.length > 20);
  ok(!(await succeeds('webhook', 'show', 'ops')).includes(created.secret));
  const { code, err } = await bms.run(['webhook', 'test', 'Ops', '--event', 'backup.completed']);
  equal(code, 1);
  match(err, /^bms: backup\.completed was not delivered: /);
  match(await succeeds('webhook', 'deliveries', 'Ops'), /dlv_\w+ +backup\.completed/);
  match(await succeeds('webhook', 'rotate', 'Ops', '--overlap-hours', '1'), /Old secret until/);
  refuses(
    await bms.run(['webhook', 'create', 'Bad', '--url', 'http://x', '--events', 'backup.*']),
    2,
    /url: must be a valid HTTPS URL/,
  );
});

test('resources are changed and deleted; a deletion needs a confirmation, and a command without a change is bad input', async () => {
  refuses(await bms.run(['webhook', 'update', 'Ops']), 2, /nothing to change/);
  const webhook = await bms.json<{ name: string; events: readonly string[]; filters: { projects: readonly string[] } }>(
    ...['webhook', 'update', 'Ops', '--name', 'Pager', '--events', 'backup.failed', '--projects', 'shop'],
  );
  deepEqual([webhook.name, webhook.events, webhook.filters.projects.length], ['Pager', ['backup.failed'], 1]);
  const everywhere = await bms.json<typeof webhook>('webhook', 'update', 'Pager', '--all-projects');
  deepEqual([everywhere.events, everywhere.filters.projects], [['backup.failed'], []]);

  await succeeds('alert', 'create', 'On call', '--channel', 'email', '--to', 'owners', '--projects', 'shop');
  refuses(await bms.run(['alert', 'update', 'On call', '--json']), 2, /nothing to change/);
  const alert = await bms.json<{ severity: string; projectIds: readonly string[]; recipients: unknown }>(
    ...['alert', 'update', 'On call', '--severity', 'critical', '--to', 'admins', '--all-projects'],
  );
  deepEqual([alert.severity, alert.recipients, alert.projectIds], ['critical', 'admins', []]);

  const add = ['storage', 'create', 'Spare', '--type', 's3', '--bucket', await newBucket(), '--access-key-id', 'AKIATEST'];
  equal((await bms.run(add, { input: 'not-so-secret\n' })).code, 0);
  match(await succeeds('storage', 'update', 'spare', '--name', 'Old spare'), /^Updated Old spare \(dst_/);
  await succeeds('storage', 'update', 'Old spare', '--sse', 'AES256');
  match(await succeeds('storage', 'show', 'Old spare'), /Encryption +AES256/);
  refuses(
    await bms.run(['storage', 'update', 'Old spare', '--object-lock', 'governance:1']),
    1,
    /STORAGE_ERROR|VALIDATION_ERROR/,
  );
  refuses(await bms.run(['storage', 'update', 'Old spare', '--bucket', 'no-such-bucket-anywhere']), 1, /STORAGE_ERROR/);
  refuses(await bms.run(['storage', 'delete', 'Old spare']), 2, /Add --yes to confirm/);
  match(await succeeds('storage', 'delete', 'Old spare', '--yes'), /^Deleted Old spare/);
  refuses(await bms.run(['storage', 'delete', 'Mine', '--yes']), 1, /CONFLICT/);

  await succeeds('projects', 'connect', `${target}-third`, '--name', 'Third');
  const project = await bms.json<{ name: string; settings: { backupTimeoutMinutes: number; defaultStorageId: string | null } }>(
    ...['projects', 'update', 'Third', '--name', 'Preview', '--timeout', '60', '--storage', 'Mine'],
  );
  deepEqual([project.name, project.settings.backupTimeoutMinutes], ['Preview', 60]);
  ok(project.settings.defaultStorageId);
  equal((await bms.json<typeof project>('projects', 'update', 'Preview', '--no-storage')).settings.defaultStorageId, null);
  refuses(await bms.run(['projects', 'delete', 'Preview']), 2, /Its backups are kept.*Add --yes to confirm/);
  match(await succeeds('projects', 'delete', 'Preview', '--yes'), /^Disconnected Preview/);
  equal((await succeeds('projects', 'ls', '--quiet')).trim().split('\n').length, 2);
  refuses(await bms.run(['projects', 'show', 'Preview']), 4, /no project named "Preview"/);

  match(await succeeds('orgs', 'update', '--timezone', 'Europe/Berlin'), /^Updated Command line/);
  refuses(await bms.run(['orgs', 'delete', 'Command']), 2, /is named Command line/);
  refuses(await bms.run(['pitr', 'update', 'shop', '--retention', '3']), 1, /CONFLICT/);
});

test('the audit log is listed and exported', async () => {
  match(await succeeds('audit', '--action', 'project.created'), /project\.created/);
  match(await succeeds('audit', '--export', 'csv'), /^"?id"?,/);
  refuses(await bms.run(['audit', '--export', 'csv', '--out', '/none/audit.csv']), 2, /its folder does not exist/);
});

test('bms status: shows protection, and --check has exit code 1', async () => {
  match(await succeeds('status'), /Shop +at_risk/);
  equal((await bms.run(['status', '--check', '--quiet'])).code, 1);
});

test('bms api: prints any response, and its exit code follows the status', async () => {
  equal((JSON.parse(await succeeds('api', 'get', '/projects?limit=1')) as { data: readonly object[] }).data.length, 1);
  const { code, out } = await bms.run(['api', 'GET', '/nothing']);
  equal(code, 4);
  match(out, /"NOT_FOUND"/);
  equal((await bms.run(['api', 'POST', '/backups', '--data', '{}'])).code, 2);
  refuses(await bms.run(['api', 'POST', '/backups', '--data', 'x']), 2, /--data must be a JSON object/);
});

test('point-in-time recovery: nothing to draw before it is enabled', async () => {
  const { code, err } = await bms.run(['pitr', 'windows', 'Shop']);
  deepEqual({ code, err }, { code: 0, err: 'Nothing has been captured yet\n' });
});

test('exit codes: bad input 2, not signed in or forbidden 3, unreachable 5; each with one line', async () => {
  refuses(await bms.run([]), 2, /a command is missing/);
  refuses(await bms.run(['backup', 'ls', '--limit', 'many']), 2, /It must be a whole number/);
  refuses(await bms.run(['backup', 'create']), 2, /which project\? Add --project.*\nusage: bms backup create \[options\]\n$/);
  refuses(
    await bms.run(['backup', 'create', '--project', 'Shop', '--retention', '0']),
    2,
    /^bms: --retention: must be at least 1/,
  );
  refuses(await bms.run(['orgs', 'ls'], { env: { XDG_CONFIG_HOME: '/nowhere' } }), 3, /not signed in to http/);
  refuses(await bms.run(['whoami'], { env: { BMS_TOKEN: 'not.a.token' } }), 3, /UNAUTHORIZED/);
  refuses(await bms.run(['whoami', '--url', 'http://backups.invalid']), 2, /is not encrypted.*--insecure/);
  const other = await newOrganization();
  refuses(await bms.run(['backup', 'ls', '--organization', other.id]), 3, /FORBIDDEN/);
  refuses(
    await bms.run(['backup', 'ls', '--url', await closedAddress(), '--organization', other.id], { env: { BMS_TOKEN: 'x' } }),
    5,
    /no response from the service: .*ECONNREFUSED/,
  );
});

test('an API key signs in without a browser', async () => {
  const organization = await newOrganization();
  const apiKey = await newServiceAccountKey(organization, ['backups:read', 'projects:read']);
  const robot = openBms({ BMS_URL: stageUrl() });
  const stored = await robot.run(['login', '--api-key'], { input: apiKey });
  equal(stored.code, 0, stored.err);
  ok(!stored.out.includes(apiKey) && !stored.err.includes(apiKey));
  deepEqual(await robot.json('backup', 'ls'), []);
  deepEqual(await robot.json('whoami'), { url: stageUrl(), type: 'service_account', organizationId: null });
  refuses(await robot.run(['audit']), 3, /lacks the scope organization:read/);
  const other = openBms({ BMS_URL: stageUrl(), BMS_API_KEY: apiKey, BMS_ORGANIZATION: organization.id });
  deepEqual(await other.json('projects', 'ls'), []);
  equal((await robot.run(['logout'])).code, 0);
  equal((await robot.run(['backup', 'ls'])).code, 3);
});

test('a wrong key is called so', async () => {
  const robot = openBms({ BMS_URL: stageUrl(), BMS_API_KEY: `fb_key_key_${'0'.repeat(26)}_${'A'.repeat(43)}` });
  refuses(await robot.run(['backup', 'ls']), 3, /^bms: the API key was refused: /);
});

test('a key of another organization than that of the stored sign-in is used, and replaces it', async () => {
  const [first, second] = [await newOrganization(), await newOrganization()];
  const user = openBms({ BMS_URL: stageUrl() });
  equal((await user.run(['login', '--token'], { input: first.owner.accessToken })).code, 0);
  equal((await user.run(['orgs', 'use', first.id])).code, 0);
  let keys = 0;
  const newKey = async (...options: readonly string[]): Promise<string> => {
    const env = { BMS_TOKEN: second.owner.accessToken, BMS_ORGANIZATION: second.id };
    const made = await user.run(['keys', 'create', `Key ${keys++}`, ...options, '--quiet'], { env });
    equal(made.code, 0, made.err);
    return made.out.trim();
  };
  const apiKey = await newKey();
  const organizationOf = async (env: Record<string, string>): Promise<unknown> => {
    const { code, out, err } = await user.run(['api', 'GET', '/organizations/current'], { env });
    return code === 0 ? JSON.parse(out).data.id : err;
  };
  equal(await organizationOf({}), first.id);
  equal(await organizationOf({ BMS_API_KEY: apiKey }), second.id);
  const others = { env: { BMS_TOKEN: second.owner.accessToken } };
  refuses(await user.run(['orgs', 'use', second.id], others), 2, new RegExp(`set BMS_ORGANIZATION=${second.id}`));

  const login = (input: string) => user.run(['login', '--api-key'], { input });
  refuses(await login(await newKey('--from', '192.0.2.1')), 3, /not allowed to be used from the address/);
  refuses(await login(`${apiKey.slice(0, -8)}AAAAAAAA`), 3, /^bms: the API key was refused: (?!.*sign in)/);
  const elsewhere = { input: apiKey, env: { BMS_ORGANIZATION: first.id } };
  refuses(await user.run(['login', '--api-key'], elsewhere), 3, /belongs to another organization/);
  equal(await organizationOf({}), first.id);
  // Without the scope that the check needs.
  equal((await login(await newKey('--permissions', 'backups:read'))).code, 0);
  equal((await user.run(['backup', 'ls'])).code, 0);
  equal((await login(apiKey)).code, 0);
  equal(await organizationOf({}), second.id);
});

test('profiles: several sign-ins are stored, listed, switched and used once', async () => {
  const organization = await newOrganization(undefined, 'Second');
  const apiKey = await newServiceAccountKey(organization, ['backups:read', 'projects:read', 'organization:read']);
  const stored = await bms.run(['login', '--profile', 'robot', '--url', stageUrl(), '--api-key'], { input: apiKey });
  equal(stored.code, 0, stored.err);
  const listed = await bms.json<{ name: string; current: boolean; credentials: string }[]>('use');
  deepEqual(
    listed.map(({ name, current, credentials }) => [name, current, credentials]),
    [
      [stageUrl(), false, 'a session'],
      ['robot', true, 'an API key'],
    ],
  );
  deepEqual(await bms.json('projects', 'ls'), []);
  equal((await bms.run(['use', stageUrl()])).code, 0);
  equal((await bms.json<unknown[]>('projects', 'ls')).length, 2);
  deepEqual(await bms.json('projects', 'ls', '--profile', 'robot'), []);
  refuses(await bms.run(['projects', 'ls', '--profile', 'nobody']), 2, /there is no profile nobody/);
  equal((await bms.run(['logout', '--profile', 'robot'])).code, 0);
});

test('logout ends the session at the service', async () => {
  const person = await signIn(newEmail('cli-out'));
  const user = openBms({ BMS_URL: stageUrl() });
  await user.run(['login', '--token'], { input: person.accessToken });
  equal((await user.run(['logout'])).code, 0);
  refuses(await user.run(['whoami'], { env: { BMS_TOKEN: person.accessToken } }), 3, /session has ended/i);
});
