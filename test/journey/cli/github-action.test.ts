/** The workflow files to copy: their scripts run here as GitHub runs them, against the stage. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'vitest';
import { parse } from 'yaml';
import { apiKeys } from '../../../shared/contract/endpoints/api-keys.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { endOf, newDestination, newProject, seed } from '../../harness/stage/backup.ts';
import { call, stageUrl, stageVariable } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}
interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, { readonly env?: Readonly<Record<string, string>>; readonly steps: readonly Step[] }>>;
}

const workflowOf = (name: string): Workflow =>
  parse(readFileSync(new URL(`../../../infra/cli/github-action/${name}.yml`, import.meta.url), 'utf8')) as Workflow;

type Values = Readonly<Record<string, string>>;

/** `${{ vars.X }}` and `${{ secrets.X }}` of a value. */
const expand = (env: Values, values: Values): Values =>
  Object.fromEntries(
    Object.entries(env).map(([name, text]) => [
      name,
      text.replaceAll(/\$\{\{\s*(?:vars|secrets)\.(\w+)\s*\}\}/g, (_, key: string) => values[key] ?? ''),
    ]),
  );

/** Runs the scripts of a job in order, like a runner: `bash -e` in one folder, and each step with its own variables. */
const runJob = (workflow: Workflow, job: string, values: Values) => {
  const { env = {}, steps } = workflow.jobs[job]!;
  const folder = mkdtempSync(join(tmpdir(), 'runner-'));
  const [output, summary] = [join(folder, 'output'), join(folder, 'summary')];
  for (const file of [output, summary]) writeFileSync(file, '');
  let text = '';
  for (const step of steps.filter(({ run }) => run !== undefined)) {
    // A value in a script would be code.
    ok(!step.run?.includes('${{'), step.name);
    const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', step.run ?? ''], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
        HOME: folder,
        CI: 'true',
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: summary,
        ...expand(env, values),
        ...expand(step.env ?? {}, values),
      },
    });
    text += stdout + stderr;
    if (status !== 0) return { failedStep: step.name, text, output: '', summary: '' };
  }
  return { failedStep: undefined, text, output: readFileSync(output, 'utf8'), summary: readFileSync(summary, 'utf8') };
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

test('workflows: actions of others are named by commit, with their version', () => {
  for (const name of ['backup-before-deploy', 'restore-into-preview']) {
    const text = readFileSync(new URL(`../../../infra/cli/github-action/${name}.yml`, import.meta.url), 'utf8');
    const used = Object.values(workflowOf(name).jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
    ok(used.length > 0);
    for (const action of used)
      match(text, new RegExp(`- uses: ${action.replace(/@.*/, '@[0-9a-f]{40} # v\\d+\\.\\d+\\.\\d+')}\n`));
  }
});

test('workflows: back up before a deployment, and fill a preview project, with the documented scopes alone', async () => {
  const organization = await newOrganization();
  const { id: defaultStorageId } = await newDestination(organization);
  const by = { token: organization.owner.accessToken, org: organization.id };
  equal((await call(organizations.update, { ...by, body: { settings: { defaultStorageId } } })).status, 200);
  const shop = await newProject(organization, { name: 'Shop' });
  const preview = await newProject(organization, { name: 'Preview' });
  await seed(shop.sourceProjectId, { 'orders/a': total(1), 'orders/b': total(2) });
  await seed(preview.sourceProjectId, { 'orders/b': total(9), 'orders/only-here': total(3) });
  const served = Buffer.from(await (await fetch(`${stageUrl()}/console/bms.mjs`)).arrayBuffer());
  const values = {
    BMS_URL: stageUrl(),
    BMS_SHA256: createHash('sha256').update(served).digest('hex'),
    BMS_PROJECT: 'Shop',
    BMS_PREVIEW_PROJECT: 'Preview',
    BMS_API_KEY: await keyOf(organization, [shop.id, preview.id]),
  };

  const deploy = workflowOf('backup-before-deploy');
  deepEqual(deploy.permissions, { contents: 'read' });
  const backedUp = runJob(deploy, 'backup', values);
  equal(backedUp.failedStep, undefined, backedUp.text);
  match(backedUp.text, /^2\.\d+\.\d+ \(\w{12}\)$/m);
  const [, backupId = ''] = /^backup=(bkp_\w+)\n$/.exec(backedUp.output) ?? [];
  const backup = await endOf(organization, backupId);
  deepEqual([backup.status, backup.documentCount, backup.createdBy?.type], ['completed', 2, 'api_key']);
  ok(backedUp.summary.includes(backupId));
  equal(runJob(deploy, 'deploy', values).failedStep, undefined);

  const restore = workflowOf('restore-into-preview');
  const restored = runJob(restore, 'restore', values);
  equal(restored.failedStep, undefined, restored.text);
  match(restored.summary, /Restored into Preview: `rst_\w+`/);
  deepEqual(await documentsOf(preview.sourceProjectId), { a: total(1), b: total(2) });

  const intoItself = runJob(restore, 'restore', { ...values, BMS_PREVIEW_PROJECT: shop.id });
  equal(intoItself.failedStep, 'Refuse to write to the source', intoItself.text);
  const withoutKey = runJob(deploy, 'backup', { ...values, BMS_API_KEY: `${values.BMS_API_KEY.slice(0, -1)}~` });
  deepEqual([withoutKey.failedStep, withoutKey.output], ['Back up', '']);
  ok(!withoutKey.text.includes(values.BMS_API_KEY.slice(-20, -1)), 'the key is not printed');
  // A changed file does not run, and neither does one without a digest to compare.
  for (const BMS_SHA256 of ['0'.repeat(64), '']) {
    const changed = runJob(deploy, 'backup', { ...values, BMS_SHA256 });
    deepEqual([changed.failedStep, changed.output], ['Get the command line from the service', '']);
    match(changed.text, /bms\.mjs is not the file that BMS_SHA256 names/);
    equal(runJob(restore, 'restore', { ...values, BMS_SHA256 }).failedStep, 'Get the command line from the service');
  }
  const unknown = runJob(deploy, 'backup', { ...values, BMS_PROJECT: 'Nowhere' });
  deepEqual([unknown.failedStep, unknown.output], ['Back up', '']);
});
