/** Runs the shell blocks of README.md and the guides over the stage, in order, in one shell. */
import { doesNotMatch, equal, match, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, test } from 'vitest';
import { stageUrl, stageVariable } from '../../harness/stage/client.ts';

const guides = [
  'README.md',
  'shared/contract/README.md',
  'shared/backup/README.md',
  'shared/restore/README.md',
  'shared/schedule/README.md',
  'shared/pitr/README.md',
  'shared/webhook/README.md',
] as const;

/** Blocks with npm start or install the service; the stage is running already. */
const blocksOf = (guide: string): readonly string[] =>
  [...readFileSync(guide, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .map(([, code = '']) => code)
    .filter((code) => !/^(?:\S+=\S+ )*npm /m.test(code));

const onStage = (code: string): string =>
  code
    .replaceAll('http://localhost:3000', stageUrl())
    .replaceAll('localhost:8080', stageVariable('STAGE_FIRESTORE'))
    .replaceAll('my-project', `documented-${process.pid}`)
    .replaceAll('ada@example.com', `ada.${process.pid}@example.com`);

/** What the blocks of each guide print. */
const outputs = new Map<string, string>();

beforeAll(async () => {
  const script = guides.map((guide) => `echo '=== ${guide}'\n${blocksOf(guide).map(onStage).join('\n')}`).join('\n');
  const shell = spawn('bash', ['-c', `${script}\nexit 0`], {
    cwd: mkdtempSync(join(tmpdir(), 'guides-')),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [shell.stdout, shell.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  equal(await new Promise((ended) => shell.once('close', ended)), 0, printed);
  for (const part of printed.split('=== ').slice(1)) outputs.set(part.slice(0, part.indexOf('\n')), part);
});

const outputOf = (guide: (typeof guides)[number]): string => outputs.get(guide) ?? '';

test('guides: every guide has a block that runs', () => {
  for (const guide of guides) ok(blocksOf(guide).length > 0, guide);
});

test('guides: no request is invalid, unauthorized or about something that does not exist', () => {
  for (const [guide, output] of outputs)
    doesNotMatch(
      output,
      /"code":"(VALIDATION_ERROR|UNAUTHORIZED|FORBIDDEN|PERMISSION_DENIED|\w*NOT_FOUND|INTERNAL_ERROR)"/,
      guide,
    );
});

test('README: the backup completes', () => match(outputOf('README.md'), /"status":"completed"/));

test('contract guide: the invitation is created and audited', () =>
  match(outputOf('shared/contract/README.md'), /"invitation.created"/));

test('backup guide: the estimate, the document and the diff are returned', () => {
  match(outputOf('shared/backup/README.md'), /"estimatedUsd"/);
  match(outputOf('shared/backup/README.md'), /"path":"users\/ada"/);
  match(outputOf('shared/backup/README.md'), /"counts":\{"added":0,"changed":0,"removed":0,"unchanged":1\}/);
});

test('restore guide: the document is restored, and deleted again by the undo', () => {
  match(outputOf('shared/restore/README.md'), /"create":1/);
  match(outputOf('shared/restore/README.md'), /"stringValue":\s*"Ada"/);
  match(outputOf('shared/restore/README.md'), /"undoOf":"rst_/);
});

test('schedule guide: the triggered backup completes and the schedule is paused', () => {
  match(outputOf('shared/schedule/README.md'), /"status":"completed"/);
  match(outputOf('shared/schedule/README.md'), /"enabled":false.*"nextRunAt":null/);
});

test('point-in-time guide: the document is restored as it was at the second', () =>
  match(outputOf('shared/pitr/README.md').trimEnd().slice(-400), /"Ada Lovelace"/));

test('webhook guide: the test delivery is listed with its request, and the secret is rotated', () => {
  match(outputOf('shared/webhook/README.md'), /"deliveries":\[\{"id":"dlv_/);
  match(outputOf('shared/webhook/README.md'), /"previousSecretExpiresAt":"/);
});
