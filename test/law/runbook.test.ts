/** Commands, resources, log messages and files that the runbook names exist. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { logLines } from '../../shared/contract/runtime/alarm-log-lines.ts';
import { root, sourcesIn } from '../harness/law/source-files.ts';
import { resourcesOf, target, templatesOf } from '../harness/law/templates.ts';

const path = new URL('../../infra/runbook.md', import.meta.url);
const runbook = readFileSync(path, 'utf8');
const prose = runbook.replace(/```.*?```/gs, '');
const shell = [...runbook.matchAll(/```sh\n(.*?)```/gs)].map(([, text = '']) => text);
const spans = [...prose.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text.replace(/\s+/g, ' '));
const resources = resourcesOf(templatesOf());

/** Like the command `named`: the logical id followed by CDK's hash. */
const typesOf = (stack: string, name: string): readonly string[] =>
  resources
    .filter(({ stack: its, id }) => its.toLowerCase() === stack && new RegExp(`^${name}[0-9A-F]*$`).test(id))
    .map(({ type }) => type);

const commands = {
  errors: 'AWS::Lambda::Function',
  lines: 'AWS::Lambda::Function',
  run: 'AWS::Lambda::Function',
  feed: 'AWS::Lambda::Function',
  letters: 'AWS::SQS::Queue',
  redrive: 'AWS::SQS::Queue',
  purge: 'AWS::SQS::Queue',
  failed: 'AWS::StepFunctions::StateMachine',
} as const;

test('runbook: every command is defined and valid in bash', () => {
  const [first = ''] = shell;
  for (const name of ['named', 'ask', 'access', 'causes', 'clock', 'feeds', ...Object.keys(commands)])
    assert.match(first, new RegExp(`^${name}\\(\\) \\{`, 'm'));
  execFileSync('bash', ['-n'], { input: first });
  const ids = resources.filter(({ stack }) => stack === 'Engine').map(({ id }) => `${id}\tphysical-${id}`);
  const aws = `aws() { printf '%s\\n' ${ids.map((line) => `'${line}'`).join(' ')}; }`;
  const found = execFileSync('bash', [], {
    input: `${first}\n${aws}\nnamed engine Tasks; named engine BackupWorkflow`,
    encoding: 'utf8',
  });
  assert.match(found, /^physical-Tasks[0-9A-F]{8}\nphysical-BackupWorkflow\n$/);
});

/** The functions with a mapping, and those with a clock, as the template has them. */
const intakeLists = (): string => {
  const ofType = (type: string) => resources.filter((resource) => resource.type === type);
  const mapped = ofType('AWS::Lambda::EventSourceMapping').map(({ properties }) => target(properties.FunctionName));
  const clocked = ofType('AWS::Scheduler::Schedule').map(({ properties }) => target((properties.Target as { Arn: unknown }).Arn));
  const list = (ids: readonly string[]): string => ids.map((id) => `\`${id.replace(/[0-9A-F]{8}$/, '')}…\``).join(', ');
  return `   - mappings: ${list(mapped)}\n   - schedules: ${list(clocked)}\n`;
};

test('runbook: the mappings and schedules to stop before a restore of the table are those of the template', () => {
  const lists = / {3}- mappings: .*\n {3}- schedules: .*\n/;
  if (process.env.UPDATE_FIXTURES) writeFileSync(path, runbook.replace(lists, intakeLists()));
  else assert.equal(lists.exec(runbook)?.[0], intakeLists(), 'UPDATE_FIXTURES=1 writes the lists');
});

test('runbook: feeds switches every mapping of the engine', () => {
  const [first = ''] = shell;
  const aws = `aws() { if [ "$1" = cloudformation ]; then printf 'u1\\tu2\\n'; else echo "$*"; fi; }`;
  const said = execFileSync('bash', [], { input: `${first}\n${aws}\nfeeds --no-enabled`, encoding: 'utf8' });
  const switched = (uuid: string) =>
    `lambda update-event-source-mapping --uuid ${uuid} --no-enabled --query [FunctionArn, State] --output text\n`;
  assert.equal(said, `${switched('u1')}${switched('u2')}`);
});

test('runbook: every command names one existing resource of its kind', () => {
  const used = [...runbook.matchAll(/\b(errors|lines|run|feed|letters|redrive|purge|failed|clock) ([A-Z]\w+)/g)];
  assert.ok(used.length > 80);
  for (const [text, command = '', name = ''] of used) {
    if (command === 'clock') assert.deepEqual(typesOf('engine', `${name}Clock`), ['AWS::Scheduler::Schedule'], text);
    else assert.deepEqual(typesOf('engine', name), [commands[command as keyof typeof commands]], text);
  }
  for (const [text, stack = '', name = ''] of runbook.matchAll(/\bnamed (data|engine|api) (\w+)/g))
    assert.equal(typesOf(stack, name).length, 1, text);
});

test('runbook: only dead letters of queues are redriven', () => {
  const sources = resources.flatMap(({ properties }) => JSON.stringify(properties.RedrivePolicy ?? ''));
  for (const [text, name = ''] of prose.matchAll(/`redrive (\w+)`/g))
    assert.ok(
      sources.some((policy) => new RegExp(`"${name}[0-9A-F]{8}"`).test(policy)),
      text,
    );
});

test('runbook: every resource named by its prefix exists', () => {
  const named = spans.flatMap((text) => /^([A-Z][A-Za-z]+)…$/.exec(text)?.[1] ?? []);
  assert.ok(named.length > 20);
  for (const name of named)
    assert.ok(
      ['data', 'engine', 'api'].some((stack) => typesOf(stack, name).length === 1 || name === 'TokenKey'),
      name,
    );
});

test('runbook: every quoted log message is logged, and every message that an alarm counts is quoted', () => {
  const code = sourcesIn('shared', 'functions')
    .map(({ text }) => text)
    .join('\n');
  const quoted = [...runbook.matchAll(/message (?:=|in) \[?((?:"[^"]+"(?:, )?)+)/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/"([^"]+)"/g)].map(([, text = '']) => text),
  );
  const plain = spans.filter((text) => /^(an?|the|no|nothing|could) [a-z ]+$/.test(text));
  // Alarms count these messages; other queries filter by fields, which survive a rewording.
  for (const line of Object.values(logLines)) assert.ok(quoted.includes(line), line);
  for (const line of [...quoted, ...plain]) assert.ok(code.includes(line), line);
});

test('runbook: every named file exists', () => {
  const files = spans.filter((text) => /^(infra|shared|functions|test)\/[\w./-]+\.(ts|md)$/.test(text));
  assert.ok(files.length > 3);
  for (const file of files) assert.ok(existsSync(new URL(file, `file://${root}/`)), file);
});
