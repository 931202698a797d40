/** What the words of the command line mean, and what is said of those that mean nothing. */
import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { Failure } from '../../../infra/archive/failure.ts';
import { commands, options, parseCommand, usage } from '../../../infra/archive/parse-command.ts';

test('words become a command; verify reads everything unless told otherwise', () => {
  const {
    name,
    location: where,
    path,
    collections,
    depth,
  } = parseCommand(['export', 's3://b/p', '--collection', 'a', '--collection=b/c/d', '--region', 'eu-west-1']) ?? {};
  deepEqual(
    { name, where, path, collections, depth },
    { ...{ name: 'export', where: 's3://b/p', path: '' }, collections: ['a', 'b/c/d'], depth: 'whole' },
  );
  equal(parseCommand(['verify', 'x', '--quick'])?.depth, 'quick');
  equal(parseCommand(['verify', 'x', '--full'])?.depth, 'full');
  equal(parseCommand(['cat', 'x', 'users/ada', '--passphrase'])?.passphrase, true);
});

for (const [words, says] of [
  [[], /^the command must be one of ls, cat, export, verify, key/],
  [['restore', 'x'], /^the command must be one of/],
  [['verify'], /^verify: where\?/],
  [['cat', 'x'], /^cat: which document\?/],
  [['verify', 'x', '--passphrase', 'hunter22'], /^verify: there is a word too many$/],
  [['verify', 'x', '--pass=hunter22'], /^Unknown option '--pass'/],
  [['verify', 'x', '--passphrase=hunter22'], /'--passphrase' does not take an argument$/],
  [['verify', 'x', '--quick', '--full'], /^--quick or --full, not both$/],
  [['ls', 'x', '--out', 'hunter22'], /^--out is an option of export$/],
  [['verify', 'x', '--force'], /^--force is an option of export$/],
  [['verify', 'x', '--digest'], /'--digest <value>' argument missing$/],
] as const)
  test(`${words.join(' ')}: refused without repeating what might be a secret`, () => {
    throws(
      () => parseCommand(words),
      (error: unknown) =>
        error instanceof Failure && error.exitCode === 2 && says.test(error.message) && !error.message.includes('hunter22'),
    );
  });

test('help is asked for by --help and -h, and explains every command', () => {
  equal(parseCommand(['--help']), undefined);
  equal(parseCommand(['ls', '-h']), undefined);
  for (const name of commands) ok(usage.includes(`\n  ${name} <where>`), name);
  for (const option of Object.keys(options)) ok(option === 'help' || usage.includes(`--${option}`), option);
});
