/** Ids and texts of documents are untrusted: none of their characters controls a terminal. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, test } from 'vitest';
import { escapeName, escapeOutput } from '../../../infra/archive/escape-output.ts';
import { documentOf } from '../../harness/builders/sample-archive.ts';
import { passphrase, sampleBackup, writeObjects } from '../../harness/builders/sample-archive-folder.ts';
import { lines, runArchive } from '../../harness/env/run-archive-command.ts';

const between = (from: number, to: number): readonly number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
/** Characters that must not be printed: control characters, line separators, bidirectional controls, invisible characters. */
const codes = [
  ...between(0x00, 0x1f),
  ...between(0x7f, 0x9f),
  ...[0x061c, 0x200e, 0x200f, 0x2028, 0x2029],
  ...between(0x202a, 0x202e),
  ...between(0x2066, 0x2069),
  ...[0x00ad, 0x180e, 0x200b, 0x200c, 0x200d, 0xfeff, 0xfe0f],
  ...between(0x2060, 0x2064),
  ...between(0xe0020, 0xe007f),
];
const hostile = codes.map((code) => String.fromCodePoint(code)).join('');
const isSafe = (text: string): boolean => ![...text].some((letter) => letter !== '\n' && codes.includes(letter.codePointAt(0)!));

test('escapeOutput: writes unprintable characters as escapes that JSON reads as the same text', () => {
  const text = `Grüße 東京 🚀 "\\" ${hostile}`;
  const json = escapeOutput(JSON.stringify({ [text]: text }, undefined, 2));
  ok(isSafe(json));
  deepEqual(JSON.parse(json), { [text]: text });
  ok(json.includes('Grüße 東京 🚀'));
});

test('escapeOutput: emoji keep their joiners and selectors, other text has none that are invisible', () => {
  for (const emoji of ['❤️', '👩‍💻', '👩🏽‍🚀', '🏳️‍🌈', '1️⃣']) equal(escapeOutput(emoji), emoji);
  equal(escapeOutput('pay\u200dpal a\ufe0f \u{e0041}'), 'pay\\u200dpal a\\ufe0f \\udb40\\udc41');
});

test('escapeName: names are plain where possible, otherwise JSON, and never ambiguous', () => {
  equal(escapeName('things/Grüße 東京'), 'things/Grüße 東京');
  for (const name of [...hostile, 'a\nb', '"quoted"', '"\\u001b"', `x${hostile}`]) {
    const shown = escapeName(name);
    ok(isSafe(shown) && !shown.includes('\n') && shown.startsWith('"'), JSON.stringify(shown));
    equal(JSON.parse(shown), name);
  }
});

test('archive: no command prints control characters of a document, its id or its database', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'archive-'));
  afterAll(() => rmSync(scratch, { recursive: true }));
  const source = 'projects/\u001b]0;title\u0007\u001b[2Jp\u202e\n/databases/(default)';
  const updated = { seconds: 1_700_000_000, nanos: 0 };
  const id = `things/evil${hostile.slice(1)}`;
  const name = `${source}/documents/${id}`;
  const documents = [{ name: Buffer.from(name), bytes: documentOf(name, { text: hostile, created: updated, updated }), updated }];
  const folder = join(scratch, 'bkp_a');
  writeObjects(folder, (await sampleBackup(undefined, undefined, { source, documents })).objects);
  const run = (...words: readonly string[]) => runArchive(words, { ARCHIVE_PASSPHRASE: passphrase });
  const [top, listed, shown, exported, missing, verified] = await Promise.all([
    run('ls', folder),
    run('ls', folder, 'things'),
    run('cat', folder, id.replaceAll('\0', '')),
    run('export', folder),
    run('cat', folder, 'things/\u001b[2J\u009b31m'),
    run('verify', folder, '--full'),
  ]);
  for (const { out, err } of [top, listed, shown, exported, missing, verified]) ok(isSafe(out) && isSafe(err));
  equal(lines(top.err).length, 1, top.err);
  equal(JSON.parse(listed.out), id);
  for (const { out } of [shown, exported]) {
    const document = JSON.parse(out) as { name: string; fields: { text: { stringValue: string } } };
    deepEqual([document.name, document.fields.text.stringValue], [name, hostile]);
  }
  equal(lines(exported.out).length, 1);
  deepEqual([missing.code, lines(missing.err).length], [2, 1]);
  equal(verified.code, 0, verified.err);
});
