/** Runs the shell blocks of README.md and of every guide over the stage, in order, in one shell. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, test } from 'vitest';
import { device } from '../../../shared/contract/endpoints/device.ts';
import { seed } from '../../harness/stage/backup.ts';
import { consoleHeaders } from '../../harness/stage/browser.ts';
import { call, stageUrl, stageVariable } from '../../harness/stage/client.ts';

const guides = [
  'README.md',
  'infra/archive/README.md',
  'infra/release/action/README.md',
  'shared/contract/README.md',
  'shared/backup/README.md',
  'shared/restore/README.md',
  'shared/export/README.md',
  'shared/schedule/README.md',
  'shared/pitr/README.md',
  'shared/webhook/README.md',
  'shared/alert/README.md',
  'shared/report/README.md',
] as const;

/** The blocks that are not run here, by how they begin, and why. */
const notRun = [
  [/^npm ci && npm start /, 'installs the service and starts a stage; one is running'],
  [/^npx (bms|\{\{name\}\}) --help$/m, 'is of the released package; test/infra/release/installed.test.ts installs and uses it'],
  [/^npx \.\/local-/, 'starts a stage; test/infra/release/installed.test.ts does, from the released package'],
  [/^WEBHOOK_ALLOWED_HOSTS=\S+ \S+ npm start$/m, 'starts a stage; one is running'],
  [/^npm start .*\nnpm run console /, 'starts a stage and a server for development'],
  [/^npm run cloud &$/m, 'needs a stopped stage; the KMS and the buckets of the running one are used instead'],
  [/^AWS_PROFILE=\S+ node publish\.mjs /, 'needs an AWS account; tests of infra/release/template publish to the stage'],
  [/^bms deploy /, 'needs an AWS account; test/infra/cli/deploy runs it over an engine of CloudFormation'],
  [/^aws iam create-role /, 'needs an AWS account'],
  [/^aws cloudformation .*\nnpx cdk destroy /, 'needs an AWS account'],
  [/^export SMOKE_PROJECT=/, 'needs a deployment; test/journey/api/smoke.test.ts runs the command over a stage'],
  [/^named\(\) \{/, 'needs an AWS account; test/law/runbook.test.ts runs the functions with another aws'],
] as const;

const allBlocksOf = (guide: string): readonly string[] =>
  [...readFileSync(guide, 'utf8').matchAll(/^```(?:sh|bash|shell|console)\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
const reasonsOf = (block: string) => notRun.filter(([beginning]) => beginning.test(block));
const blocksOf = (guide: string): readonly string[] => allBlocksOf(guide).filter((block) => reasonsOf(block).length === 0);

/** The project that the demo fills; this stage runs without it. */
const source = `documented-${process.pid}`;
const email = `ada.${process.pid}@example.com`;
const launcher = fileURLToPath(new URL('../../../infra/cli/bms.js', import.meta.url));

const onStage = (code: string): string =>
  code
    .replaceAll('npx bms', `'${process.execPath}' '${launcher}'`)
    .replaceAll('http://localhost:3000', stageUrl())
    .replaceAll('https://backups.example.com', stageUrl())
    .replaceAll('http://localhost:4566', stageVariable('STAGE_S3_URL'))
    .replaceAll('http://localhost:4567', stageVariable('STAGE_AWS_URL'))
    .replaceAll('localhost:8080', stageVariable('STAGE_FIRESTORE'))
    .replaceAll('demo-project', source);

/** What the blocks of each guide print. */
const outputs = new Map<string, string>();

/** Approves the code that `bms login` shows, as the console does. */
const approve = async (userCode: string): Promise<void> => {
  const { status, text } = await call(device.decide, {
    headers: await consoleHeaders(email),
    body: { userCode, decision: 'approve' },
  });
  equal(status, 200, text);
};

beforeAll(async () => {
  await seed(source, { 'users/u0': { name: { stringValue: 'Ada' }, born: { integerValue: '1815' } } });
  const script = guides.map((guide) => `echo '=== ${guide}'\n${blocksOf(guide).map(onStage).join('\n')}`).join('\n');
  const dir = mkdtempSync(join(tmpdir(), 'guides-'));
  const shell = spawn('bash', ['-c', `exec 2>&1\n${script}\nexit 0`], {
    cwd: dir,
    env: { ...process.env, XDG_CONFIG_HOME: dir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  let approved: Promise<void> | undefined;
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    const [, userCode] = /enter the code (\S+),/.exec(printed) ?? [];
    if (userCode !== undefined) approved ??= approve(userCode);
  });
  const ended = new Promise((done) => shell.once('close', done));
  equal(await ended, 0, printed);
  await approved;
  for (const part of printed.split('=== ').slice(1)) outputs.set(part.slice(0, part.indexOf('\n')), part);
  // Some forty commands in a row.
}, 900_000);

const outputOf = (guide: (typeof guides)[number]): string => outputs.get(guide) ?? '';

test('guides: every shell block of every page is run, or has one reason why not', () => {
  const pages = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' }).trim().split('\n');
  deepEqual(
    pages.filter((page) => blocksOf(page).length > 0),
    guides.toSorted(),
  );
  const all = pages.flatMap(allBlocksOf);
  for (const block of all) ok(reasonsOf(block).length <= 1, block);
  for (const [beginning, reason] of notRun)
    ok(
      all.some((block) => beginning.test(block)),
      reason,
    );
});

test('guides: no call is invalid, unauthorized or about something that does not exist', () => {
  for (const [guide, output] of outputs)
    doesNotMatch(output, /\((VALIDATION_ERROR|UNAUTHORIZED|FORBIDDEN|PERMISSION_DENIED|\w*NOT_FOUND|INTERNAL_ERROR)[,)]/, guide);
});

test('guides: every command is spelled correctly', () => {
  // The receiver does not run, and the requested second is not stored at once.
  const expected = /^bms: (backup\.completed was not delivered|.*\(CONFLICT, request )/;
  for (const [guide, output] of outputs)
    for (const line of output.split('\n').filter((one) => one.startsWith('bms: '))) match(line, expected, guide);
});

test('README: the tour uses the command line alone, and the backup completes', () => {
  doesNotMatch(blocksOf('README.md').join(''), /\b(curl|sed|jq)\b/);
  match(outputOf('README.md'), /^Backup bkp_\w+ completed: 1 document, /m);
  match(outputOf('README.md'), /^Shop +at_risk /m);
});

test('archive guide: the backup is listed, verified, read and exported without the service', () => {
  match(outputOf('infra/archive/README.md'), /^ok: bkp_\w+, \d+ objects/m);
  match(outputOf('infra/archive/README.md'), /"stringValue": ?"Ada"/);
  match(outputOf('infra/archive/README.md'), /^[\w+/-]{43}=?$/m);
});

test('pipeline guide: the command line is downloaded and names its version', () =>
  match(outputOf('infra/release/action/README.md'), /^[0-9a-f]{64} {2}bms\.mjs\n\d+\.\d+\.\d+/m));

test('contract guide: the invitation is created and audited', () =>
  match(outputOf('shared/contract/README.md'), /invitation\.created/));

test('backup guide: the estimate, the document and the diff are printed', () => {
  match(outputOf('shared/backup/README.md'), /^Cost +about [\d.]+ USD$/m);
  match(outputOf('shared/backup/README.md'), /passed \(full\)/);
  match(outputOf('shared/backup/README.md'), /"stringValue": "Ada"/);
  match(outputOf('shared/backup/README.md'), /^0 added, 0 changed, 0 removed, 1 unchanged$/m);
});

test('restore guide: the document is restored, and deleted again by the undo', () => {
  match(outputOf('shared/restore/README.md'), /^create +1 /m);
  match(outputOf('shared/restore/README.md'), /completed: 1 restored, 0 deleted/);
  match(outputOf('shared/restore/README.md'), /"stringValue":\s*"Ada"/);
  match(outputOf('shared/restore/README.md'), /completed: 0 restored, 1 deleted/);
});

test('export guide: the plan is printed, and the exports complete', () => {
  match(outputOf('shared/export/README.md'), /^An export as parquet into \w+ has \d/m);
  match(outputOf('shared/export/README.md'), /^Export exp_\w+ completed: /m);
});

test('schedule guide: the triggered backup completes and the schedule is paused', () => {
  match(outputOf('shared/schedule/README.md'), /^Backup bkp_\w+ completed/m);
  match(outputOf('shared/schedule/README.md'), /; paused$/m);
});

test('point-in-time guide: the windows are drawn, and the document is restored as it was at the second', () => {
  match(outputOf('shared/pitr/README.md'), /[█▓▒]/);
  match(outputOf('shared/pitr/README.md').trimEnd().slice(-400), /"Ada Lovelace"/);
});

test('webhook guide: the test delivery is listed with its request, and the secret is rotated', () => {
  match(outputOf('shared/webhook/README.md'), /^dlv_\w+ +backup\.completed/m);
  match(outputOf('shared/webhook/README.md'), /"method": "POST"/);
  match(outputOf('shared/webhook/README.md'), /^Old secret until /m);
});

test('alert guide: the test is sent and listed, and the alert is changed and deleted', () => {
  match(outputOf('shared/alert/README.md'), /^alr_\w+ +Owners by e-mail +email /m);
  match(outputOf('shared/alert/README.md'), /^Sent by email/m);
  match(outputOf('shared/alert/README.md'), /^Updated Team /m);
  match(outputOf('shared/alert/README.md'), /^Deleted alert alr_/m);
});

test('report guide: the counts are printed, and the files are written', () => {
  match(outputOf('shared/report/README.md'), /^Backups +\d+ completed, 0 failed/m);
  for (const file of ['report.html', 'report.csv', 'restore-tests.html', 'audit.csv'])
    match(outputOf('shared/report/README.md'), new RegExp(`^Wrote ${file}$`, 'm'));
});
