/** Parsing of the command line, and the messages for invalid arguments. */
import { deepEqual, equal, match, ok, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { Failure } from '../../../infra/archive/failure.ts';
import { commands, options, parseCommand, usage } from '../../../infra/archive/parse-command.ts';

test('parseCommand: arguments become a command, and verify reads everything by default', () => {
  const args = ['export', 's3://b/p', '--collection', 'a', '--collection=b/c/d', '--region', 'eu-west-1'];
  const { name, location, path, collections, depth } = parseCommand(args) ?? {};
  deepEqual(
    { name, location, path, collections, depth },
    { name: 'export', location: 's3://b/p', path: '', collections: ['a', 'b/c/d'], depth: 'whole' },
  );
  equal(parseCommand(['verify', 'x', '--quick'])?.depth, 'quick');
  equal(parseCommand(['verify', 'x', '--full'])?.depth, 'full');
  equal(parseCommand(['cat', 'x', 'users/ada', '--passphrase'])?.passphrase, true);
});

for (const [args, message] of [
  [[], /^the command must be one of ls, cat, export, open, config, verify, key/],
  [['restore', 'x'], /^the command must be one of/],
  [['verify'], /^verify: location missing/],
  [['cat', 'x'], /^cat: document path missing/],
  [['verify', 'x', '--passphrase', 'hunter22'], /^verify: too many arguments$/],
  [['verify', 'x', '--pass=hunter22'], /^Unknown option '--pass'/],
  [['verify', 'x', '--passphrase=hunter22'], /'--passphrase' does not take an argument$/],
  [['verify', 'x', '--quick', '--full'], /^--quick and --full exclude each other$/],
  [['ls', 'x', '--out', 'hunter22'], /^--out is only valid with export$/],
  [['verify', 'x', '--force'], /^--force is only valid with export$/],
  [['export', 'x', '--format', 'hunter22'], /^--format must be one of ndjson-typed, ndjson, csv, parquet, google$/],
  [['export', 'x', '--format', 'csv'], /^--format csv needs --out, which becomes a folder$/],
  [['export', 'x', '--columns', 'hunter22'], /^--columns is only valid with --format csv$/],
  [['export', 'x', '--format', 'csv', '--out', 'y', '--columns', ' , '], /^--columns: names fields, separated by commas$/],
  [['export', 'x', '--users', '--mask', 'hunter22'], /^--mask and --users exclude each other$/],
  [['ls', 'x', '--format', 'csv'], /^--format is only valid with export$/],
  [['ls', 'x', '--allow-origin', 'https://a.example'], /^--allow-origin is only valid with open$/],
  [['open', 'x', '--allow-origin', '*'], /^--allow-origin: must be such as https:\/\/staging\.example\.com$/],
  [['open', 'x', '--allow-origin', 'https://hunter22/path'], /^--allow-origin: must be such as/],
  [['open', 'x', '--allow-origin', 'null'], /^--allow-origin: must be such as/],
  [['verify', 'x', '--digest'], /'--digest <value>' argument missing$/],
] as const)
  test(`parseCommand: rejects "${args.join(' ')}" without repeating a possible secret`, () => {
    throws(
      () => parseCommand(args),
      (error: unknown) =>
        error instanceof Failure && error.exitCode === 2 && message.test(error.message) && !error.message.includes('hunter22'),
    );
  });

test('parseCommand: config takes the location of another backup, and no more', () => {
  const { name, location, path } = parseCommand(['config', 's3://b/p/one', 's3://b/p/two']) ?? {};
  deepEqual({ name, location, path }, { name: 'config', location: 's3://b/p/one', path: 's3://b/p/two' });
  throws(() => parseCommand(['config', 'a', 'b', 'c']), /^Failure: config: too many arguments$/);
});

test('parseCommand: origins may be repeated', () => {
  const origins = ['https://a.example', 'http://b.example:8081'];
  const args = ['open', 'x', ...origins.flatMap((origin) => ['--allow-origin', origin])];
  deepEqual(parseCommand(args)?.allowedOrigins, origins);
  deepEqual(parseCommand(['open', 'x'])?.allowedOrigins, []);
});

test('parseCommand: columns are separated by commas, except in back-quotes', () => {
  const columns = '__path__, address.city,`a,b`.c,`say \\`,\\` `';
  deepEqual(parseCommand(['export', 'x', '--format', 'csv', '--out', 'y', '--columns', columns])?.columns, [
    '__path__',
    'address.city',
    '`a,b`.c',
    '`say \\`,\\` `',
  ]);
});

test('parseCommand: a digest that begins with a hyphen is a value, and another option is none', () => {
  const digest = `-${'a'.repeat(42)}`;
  equal(parseCommand(['verify-evidence', 'r.json', '--key', digest])?.key, digest);
  equal(parseCommand(['verify', './b', '--digest', digest, '--full'])?.digest, digest);
  throws(() => parseCommand(['verify', './b', '--digest', '--full']), /--digest/);
});

test('parseCommand: --help and -h print the usage, which lists every command and option within 80 columns', () => {
  equal(parseCommand(['--help']), undefined);
  equal(parseCommand(['ls', '-h']), undefined);
  for (const name of commands) match(usage, new RegExp(`\\n  ${name} <(location|file)>`), name);
  for (const option of Object.keys(options)) ok(option === 'help' || usage.includes(`--${option}`), option);
  match(usage, /\nExamples:\n {2}\$ bms archive ls /);
  for (const line of usage.split('\n')) ok(line.length <= 80, line);
});
