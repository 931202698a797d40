/** Masked copies and erasures from the command line. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, test } from 'vitest';
import { type Bms, type BmsRun, bmsMain, openBms } from '../../harness/env/run-bms.ts';
import { hasTerminal, runOnTerminal } from '../../harness/env/run-on-terminal.ts';
import { newBucket, seed } from '../../harness/stage/backup.ts';
import { stageUrl } from '../../harness/stage/client.ts';
import { newEmail, signIn } from '../../harness/stage/person.ts';
import { contentsOf } from '../../harness/stage/restore.ts';

let bms: Bms;
const source = `cli-protection-${process.pid}`;
const target = `cli-protected-${process.pid}`;

const succeeds = async (...args: readonly string[]): Promise<string> => {
  const { code, out, err } = await bms.run(args);
  equal(code, 0, err);
  return out;
};
const refuses = ({ code, out, err }: BmsRun, exitCode: number, message: RegExp): void => {
  deepEqual([code, out], [exitCode, ''], err);
  match(err, message);
};
/** A file with these rules. */
const fileOf = (name: string, content: unknown): string => {
  const file = join(bms.env.XDG_CONFIG_HOME, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};

beforeAll(async () => {
  const { accessToken } = await signIn(newEmail('cli-protection'));
  bms = openBms({ BMS_URL: stageUrl() });
  equal((await bms.run(['login', '--token'], { input: `${accessToken}\n` })).code, 0);
  await succeeds('orgs', 'create', 'Protection');
  const storage = ['storage', 'create', 'Mine', '--type', 's3', '--bucket', await newBucket(), '--access-key-id', 'AKIATEST'];
  equal((await bms.run(storage, { input: 'not-so-secret\n' })).code, 0);
  await seed(source, {
    'users/ada': { name: { stringValue: 'Ada' }, email: { stringValue: 'ada@shop.test' }, plan: { stringValue: 'pro' } },
    'users/grace': { name: { stringValue: 'Grace' }, email: { stringValue: 'grace@shop.test' }, plan: { stringValue: 'free' } },
    'users/big': { account: { integerValue: '9007199254740993' } },
    'shops/one': { name: { stringValue: 'One' } },
  });
  await succeeds('projects', 'connect', source, '--name', 'Shop', '--storage', 'Mine');
  await succeeds('projects', 'connect', target, '--name', 'Staging');
  await succeeds('backup', 'create', '--project', 'shop', '--wait');
});

test('bms restore --transform: shows documents before and after, and copies them masked', async () => {
  const rules = [
    { collection: 'users', field: 'name', transform: 'redact' },
    { collection: '*', field: 'email', transform: 'fake', type: 'e-mail' },
  ];
  const restore = ['restore', 'latest', '--project', 'shop', '--into', 'staging'];
  const masked = [...restore, '--transform', fileOf('rules.json', rules)];
  const { code, out, err } = await bms.run([...masked, '--plan']);
  equal(code, 0, err);
  match(out, /users +name +redact +2\n/);
  match(out, /\* +email +fake email +2\n/);
  match(out, /\nusers\/ada\n(- |\+ )/);
  match(out, /- name: \{"stringValue":"Ada"\}\n\+ name: \{"stringValue":"\[redacted\]"\}/);
  match(out, /- email: \{"stringValue":"ada@shop\.test"\}\n\+ email: \{"stringValue":"\w+\.\w+\.\w+@example\.(com|org)"\}/);
  ok(!out.includes('plan:') && !/\nshops\/one\n- /.test(out));
  deepEqual(await contentsOf(target), {});

  const typo = { collection: 'users', field: 'emial', transform: 'null' };
  const withFile = (name: string, content: unknown) => bms.run([...restore, '--transform', fileOf(name, content), '--yes']);
  refuses(await withFile('typo.json', [...rules, typo]), 2, /rule 3 \(null for emial in users\) matches no field/);
  refuses(await withFile('unknown.json', [{ ...typo, transform: 'scramble' }]), 2, /redact.*hash.*fake/);
  refuses(await withFile('overlap.json', [rules[0], { ...rules[0], transform: 'hash' }]), 2, /overlaps with rule 1/);
  refuses(await withFile('none.json', []), 2, /must have a rule/);
  for (const content of ['null', '5', '', '{"rules":'])
    refuses(await withFile('broken.json', content), 2, /--transform must be a JSON object/);
  refuses(await bms.run([...restore, '--transform', '/no/such/file', '--yes']), 2, /--transform: \/no\/such\/file: ENOENT/);
  const intoSource = ['restore', 'latest', '--project', 'shop', '--transform', fileOf('rules.json', rules), '--yes'];
  refuses(await bms.run(intoSource), 2, /never written into its source/);
  deepEqual(await contentsOf(target), {});

  const allowed = fileOf('allowed.json', { rules: [...rules, typo], allowUnmatched: true });
  match(await succeeds(...restore, '--transform', allowed, '--yes', '--wait'), /completed: 4 restored/);
  const copy = JSON.stringify(await contentsOf(target));
  ok(!/shop\.test|Ada|Grace/.test(copy) && copy.includes('"pro"'), copy);
  match(await succeeds('restore', 'show', 'latest'), /3 rules, 2 documents changed/);
});

const noErasures = async (): Promise<void> => deepEqual(await bms.json('erasure', 'ls', '--project', 'shop'), []);

test('bms erasure create --dry-run: lists what the newest backup has, counted with what is below, and erases nothing', async () => {
  const look = ['erasure', 'create', '--project', 'shop', '--dry-run'];
  match(await succeeds(...look, 'users/ada', 'users/eve'), /^1 document in the newest backup, bkp_\w+ of .*:\n {2}users\/ada\n/);
  equal(await succeeds(...look, '--field', 'plan', '--value', 'free', '--quiet'), 'users/grace\n');
  const found = await bms.json<{ documents: number; paths: readonly string[] }>(...look, '--field', 'name', '--value', 'ADA');
  deepEqual([found.documents, found.paths], [0, []]);
  refuses(await bms.run([...look, 'users/ada', '--yes']), 2, /exclude each other/);
  refuses(await bms.run([...look, 'users']), 2, /must be the path of a document/);
  await noErasures();
});

test.skipIf(!hasTerminal)('bms erasure create on a terminal: shows the documents before it asks', async () => {
  const reason = ['--reason', 'Request 4711'];
  const { shown, code } = await runOnTerminal({
    command: [process.execPath, bmsMain, 'erasure', 'create', 'users/ada', '--project', 'shop', ...reason],
    env: bms.env,
    question: /\[y\/N\]/,
    answer: 'n\r',
  });
  equal(code, 1, shown);
  match(
    shown,
    /1 document in the newest backup[\s\S]*users\/ada[\s\S]*other backups[\s\S]*Erase these documents[\s\S]*nothing was erased/,
  );
  await noErasures();
});

test('bms erasure: erases by path and by value, lists and shows entries, and never prints what was erased', async () => {
  const create = ['erasure', 'create', '--project', 'shop', '--reason', 'Request 4711'];
  refuses(await bms.run([...create, 'users/ada']), 2, /--yes/);
  refuses(await bms.run([...create, '--yes']), 2, /paths/);
  refuses(await bms.run([...create, 'users', '--yes']), 2, /must be the path of a document/);
  refuses(await bms.run([...create, '--field', 'email', '--yes']), 2, /--field and --value belong together/);
  refuses(await bms.run([...create, 'users/ada', '--field', 'a', '--value', 'b', '--yes']), 2, /either paths or --field/);
  refuses(await bms.run(['erasure', 'create', 'users/ada', '--project', 'shop', '--yes']), 2, /--reason/);
  await noErasures();

  const byPath = await bms.json<{ id: string; pathCount: number }>(...create, 'users/grace', '--yes');
  equal(byPath.pathCount, 1);
  match(await succeeds(...create, '--field', 'email', '--value', 'ada@shop.test', '--yes'), /What +\*\.email = …/);
  // A number beyond 2^53 is compared exactly.
  await succeeds(...create, '--field', 'account', '--value', '9007199254740993', '--collection', 'users', '--yes');
  refuses(await bms.run(['backup', 'browse', 'latest', 'users', '--quiet']), 4, /nothing at this path/);
  refuses(await bms.run(['backup', 'cat', 'latest', 'users/ada']), 4, /erased/);
  const listed = await succeeds('erasure', 'ls', '--project', 'shop');
  match(listed, /users\.account = …/);
  const shown = await succeeds('erasure', 'show', byPath.id, '--project', 'shop');
  match(shown, /Status +(resolving|active)\n/);
  ok(!/shop\.test|users\/grace|9007199254740993/.test(listed + shown));
  refuses(await bms.run(['erasure', 'show', 'era_01JZ8Q4V0M6T3X9C2B7N5K1HRD', '--project', 'shop']), 4, /[Ee]rasure not found/);
  const { out } = await bms.run(['restore', 'latest', '--project', 'shop', '--into', 'staging', '--plan']);
  match(out, /erased/);
  const restore = ['restore', 'latest', '--project', 'shop', '--into', 'staging', '--plan', '--documents', 'users/grace'];
  refuses(await bms.run(restore), 4, /The requested document was erased: users\/grace/);
  refuses(
    await bms.run([...restore, '--documents', 'users/eve']),
    4,
    /has none of the requested documents: users\/grace, users\/eve/,
  );
  const { err } = await bms.run([...restore, '--documents', 'shops/one']);
  match(err, /not in the backup, or erased: users\/grace/);
});
