/** The GitHub action and the GitLab component of a release: their scripts run here as a runner runs them, against the stage. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { action } from '../../../infra/release/action/action.ts';
import { apiKeys } from '../../../shared/contract/endpoints/api-keys.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { buildArtifact } from '../../harness/release/unpack.ts';
import { endOf, newDestination, newProject, seed } from '../../harness/stage/backup.ts';
import { call, stageUrl, stageVariable } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';

type Values = Readonly<Record<string, string>>;
interface Input {
  readonly required?: boolean;
  readonly default?: string;
}
interface Action {
  readonly inputs: Readonly<Record<string, Input>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly { readonly uses?: string; readonly run?: string; readonly env?: Values }[] };
}
interface Job {
  readonly variables: Values;
  readonly script: readonly string[];
}

const dir = join(await buildArtifact(action), 'action');
const actionText = readFileSync(join(dir, 'action.yml'), 'utf8');
const { inputs, outputs, runs } = parse(actionText) as Action;
const [component, jobs] = parseAllDocuments(readFileSync(join(dir, 'templates/bms/template.yml'), 'utf8')).map((one) =>
  one.toJS(),
);

const run = (script: string, env: Values) => {
  const folder = mkdtempSync(join(tmpdir(), 'runner-'));
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder, CI: 'true', ...env },
  });
  return { status, text: stdout + stderr, folder };
};

/** Values of inputs in a template; those that are not given have their defaults. */
const filled = (template: Values, pattern: RegExp, given: Values): Values =>
  Object.fromEntries(
    Object.entries(template).map(([name, text]) => [
      name,
      text.replaceAll(pattern, (_, input: string) => given[input] ?? inputs[input]?.default ?? ''),
    ]),
  );

/** Runs the action like GitHub. */
const runAction = (given: Values) => {
  for (const [name, { required }] of Object.entries(inputs)) ok(!required || given[name] !== undefined, name);
  const step = runs.steps.find(({ run: script }) => script !== undefined);
  const folder = mkdtempSync(join(tmpdir(), 'github-'));
  const files = { GITHUB_OUTPUT: join(folder, 'output'), GITHUB_STEP_SUMMARY: join(folder, 'summary') };
  for (const file of Object.values(files)) writeFileSync(file, '');
  // A value in a script would be code.
  ok(!step?.run?.includes('${{'));
  const { status, text } = run(step?.run ?? '', { ...filled(step?.env ?? {}, /\$\{\{ inputs\.([\w-]+) \}\}/g, given), ...files });
  return {
    status,
    text,
    output: readFileSync(files.GITHUB_OUTPUT, 'utf8'),
    summary: readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8'),
  };
};

const permissions = ['backups:read', 'backups:write', 'projects:read'];

const keyOf = async ({ id, owner }: TestOrganization, projectIds: readonly string[]): Promise<string> => {
  const body = { name: 'Pipeline', role: 'member', permissions, projectIds };
  const made = await call(apiKeys.create, { token: owner.accessToken, org: id, body });
  equal(made.status, 201, made.text);
  return made.body.data.apiKey;
};

const documentsOf = async (sourceProjectId: string): Promise<Record<string, unknown>> => {
  const url = `http://${stageVariable('STAGE_FIRESTORE')}/v1/projects/${sourceProjectId}/databases/(default)/documents/orders`;
  const answer = await fetch(url, { headers: { authorization: 'Bearer owner' } });
  const { documents = [] } = (await answer.json()) as { documents?: { name: string; fields: unknown }[] };
  return Object.fromEntries(documents.map(({ name, fields }) => [name.split('/').at(-1) ?? '', fields]));
};

const total = (value: number) => ({ total: { integerValue: String(value) } });

test('action: names actions of others by commit, its own command line by digest, and its results', async () => {
  const used = runs.steps.flatMap(({ uses }) => uses ?? []);
  for (const one of used) match(actionText, new RegExp(`uses: ${one.replace(/@.*/, '@[0-9a-f]{40} # v\\d+\\.\\d+\\.\\d+')}\n`));
  ok(used.length > 0);
  const served = Buffer.from(await (await fetch(`${stageUrl()}/console/bms.mjs`)).arrayBuffer());
  equal(inputs.sha256?.default, createHash('sha256').update(served).digest('hex'));
  deepEqual(Object.keys(outputs), ['backup', 'restore']);
  const guide = readFileSync(join(dir, 'README.md'), 'utf8');
  for (const [, text = ''] of guide.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)) ok(parse(text));
});

test('action: backs up, verifies and fills a preview project, with the documented scopes alone', async () => {
  const organization = await newOrganization();
  const { id: defaultStorageId } = await newDestination(organization);
  const by = { token: organization.owner.accessToken, org: organization.id };
  equal((await call(organizations.update, { ...by, body: { settings: { defaultStorageId } } })).status, 200);
  const shop = await newProject(organization, { name: 'Shop' });
  const preview = await newProject(organization, { name: 'Preview' });
  await seed(shop.sourceProjectId, { 'orders/a': total(1), 'orders/b': total(2) });
  await seed(preview.sourceProjectId, { 'orders/b': total(9), 'orders/only-here': total(3) });
  const values = { url: stageUrl(), project: 'Shop', 'api-key': await keyOf(organization, [shop.id, preview.id]) };

  const backedUp = runAction({ ...values, command: 'backup' });
  equal(backedUp.status, 0, backedUp.text);
  const [, backupId = ''] = /^backup=(bkp_\w+)\n$/.exec(backedUp.output) ?? [];
  const backup = await endOf(organization, backupId);
  deepEqual([backup.status, backup.documentCount, backup.createdBy?.type], ['completed', 2, 'api_key']);
  ok(backedUp.summary.includes(backupId));

  const verified = runAction({ ...values, command: 'verify', backup: backupId });
  equal(verified.status, 0, verified.text);
  equal((await endOf(organization, backupId)).verification?.depth, 'full');

  const restored = runAction({ ...values, command: 'restore', 'preview-project': 'Preview' });
  equal(restored.status, 0, restored.text);
  match(restored.output, /^restore=rst_\w+\n$/);
  deepEqual(await documentsOf(preview.sourceProjectId), { a: total(1), b: total(2) });

  // GitLab runs the same script, and reads results from a file.
  const { '$[[ inputs.job ]]': job } = jobs as Readonly<Record<string, Job>>;
  const given = { ...values, command: 'backup' };
  equal(component.spec.inputs.sha256.default, inputs.sha256?.default);
  const variables = filled(job?.variables ?? {}, /\$\[\[ inputs\.([\w-]+) \]\]/g, given);
  const onGitlab = run(job?.script.join('\n') ?? '', { ...variables, BMS_API_KEY: values['api-key'] });
  equal(onGitlab.status, 0, onGitlab.text);
  match(readFileSync(join(onGitlab.folder, 'bms.env'), 'utf8'), /^backup=bkp_\w+\n$/);

  const refusals: readonly (readonly [Values, RegExp])[] = [
    [{ ...values, command: 'restore', 'preview-project': shop.id }, /the preview project is the source project itself/],
    [{ ...values, command: 'restore' }, /names the project to restore into/],
    [{ ...values, command: 'backup', 'api-key': `${values['api-key'].slice(0, -1)}~` }, /^bms: /m],
    [{ ...values, command: 'backup', project: 'Nowhere' }, /Nowhere/],
    [{ ...values, command: 'delete' }, /must be backup, verify or restore/],
    // A changed file does not run, and neither does one without a digest to compare.
    [{ ...values, command: 'backup', sha256: '0'.repeat(64) }, /bms\.mjs is not the file that the digest names/],
    [{ ...values, command: 'backup', sha256: '' }, /bms\.mjs is not the file that the digest names/],
  ];
  for (const [one, expected] of refusals) {
    const { status, text, output } = runAction(one);
    deepEqual([status !== 0, output], [true, ''], text);
    match(text, expected);
    ok(!text.includes(values['api-key'].slice(-20, -1)), 'the key is not printed');
  }
});
