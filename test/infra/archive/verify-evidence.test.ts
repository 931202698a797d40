/** `bms archive verify-evidence`: offline, with and without the backup that was tested. */
import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { createHash, createPublicKey } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, test } from 'vitest';
import { escapeOutput } from '../../../infra/archive/escape-output.ts';
import { splitLocation, verifyEvidence } from '../../../infra/archive/evidence/verify-evidence.ts';
import { failureOf } from '../../../infra/archive/failure.ts';
import { parseCommand } from '../../../infra/archive/parse-command.ts';
import { encodeEvidence, evidenceFolder, signEvidence } from '../../../shared/archive/index.ts';
import { makeEvidence } from '../../../shared/restore-test/evidence/make-evidence.ts';
import { newSigner, testedRun } from '../../harness/builders/sample-test-run.ts';
import { runArchive } from '../../harness/env/run-archive-command.ts';

const fixture = fileURLToPath(new URL('../../fixture/archive/v2/bkp_full', import.meta.url));
const digest = createHash('sha256')
  .update(readFileSync(join(fixture, 'manifest')))
  .digest('hex');
const scratch = mkdtempSync(join(tmpdir(), 'evidence-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const signer = newSigner();
const signed = await signEvidence(makeEvidence(testedRun({ digests: { manifest: digest, documents: null } })), signer);
const { keyId } = signed.signature;
const { signature, ...evidence } = signed;
const otherKey = await signEvidence(evidence, newSigner());
/** A folder of a project as the service writes it. */
mkdirSync(join(scratch, evidenceFolder));
cpSync(fixture, join(scratch, 'bkp_full'), { recursive: true });
const write = (name: string, content: string | Uint8Array): string => {
  const file = join(scratch, name);
  writeFileSync(file, content);
  return file;
};
const file = write(`${evidenceFolder}/rtr_1.json`, encodeEvidence(signed));

/** As the command runs, without a process of its own. */
const verify = async (...words: readonly string[]): Promise<{ code: number; out: string; err: string }> => {
  const lines: string[] = [];
  const line = async (text: string): Promise<void> => void lines.push(escapeOutput(text));
  try {
    const command = parseCommand(['verify-evidence', ...words]);
    if (command) await verifyEvidence(command, { isJson: command.json, line });
    return { code: 0, out: lines.join('\n'), err: '' };
  } catch (error) {
    const { exitCode, message } = failureOf(error);
    return { code: exitCode, out: lines.join('\n'), err: message };
  }
};

test('archive verify-evidence: says who tested what, when, with which result, and by which key it is signed', async () => {
  const { code, out } = await runArchive(['verify-evidence', file], {});
  equal(code, 0, out);
  match(out, /^ok: the signature matches/);
  for (const text of [
    'Result        passed',
    'WARNING       The backup was not compared with the source: the history of the source ends before (SOURCE_NOT_COMPARED)',
    'Organization  Demo (org_',
    'Project       Shop (prj_',
    'projects/shop/databases/(default)',
    'Plan          Weekly (rtp_',
    'Started       2026-11-16T03:00:00.500Z',
    'bkp_full (random of the last 7 days, of 12), data of 2026-11-15T03:00:00.000000Z',
    'Source        not compared: the history of the source ends before',
    'Differences   0',
    'RTO           not measured: nothing was restored',
    'Service       2.0.0 at https://backups.example.com',
    `Key           ${keyId} (NOT COMPARED`,
    'Backup        is the one that was tested',
  ])
    equal(out.includes(text), true, `${text} is missing in\n${out}`);
});

test('archive verify-evidence --json: one value; the key is trusted only if it was given', async () => {
  const unpinned = JSON.parse((await verify(file, '--json')).out) as Record<string, unknown>;
  deepEqual(unpinned, { status: 'valid', keyId, keyTrusted: false, manifest: 'matches', evidence: signed });
  const pinned = JSON.parse((await verify(file, '--json', '--key', keyId)).out) as Record<string, unknown>;
  equal(pinned.keyTrusted, true);
});

test('archive verify-evidence: the key is a fingerprint, PEM, a JWK or a JWK set', async () => {
  const pem = createPublicKey({ key: { ...signer.key }, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  for (const key of [
    keyId,
    write('key.pem', pem.toString()),
    write('key.json', JSON.stringify(signer.key)),
    write('keys.json', JSON.stringify({ keys: [newSigner().key, { ...signer.key, kid: keyId, use: 'sig' }] })),
  ]) {
    const { code, out } = await verify(file, '--key', key);
    equal(code, 0, key);
    match(out, /\(as given with --key\)/);
  }
});

test('archive verify-evidence: evidence that another key signed ends with 1', async () => {
  const path = write('forged.json', encodeEvidence(otherKey));
  const { code, err } = await verify(path, '--key', keyId);
  equal(code, 1);
  match(err, /^forged\.json: was signed by another key: /);
});

/** Each is one alteration of genuine evidence, and what the command says about it. */
const alterations: readonly (readonly [string, string | object, RegExp])[] = [
  ['the result', { ...signed, result: 'failed' }, /the evidence was altered after it was signed/],
  ['a count', { ...signed, counts: { ...signed.counts, documents: 99 } }, /the evidence was altered after it was signed/],
  ['the time', { ...signed, run: { ...signed.run, completedAt: '2026-11-17T00:00:00.000Z' } }, /was altered after it was signed/],
  ['a warning that was removed', { ...signed, warnings: [] }, /was altered after it was signed/],
  ['a member that was removed', { ...signed, differences: undefined }, /was altered after it was signed/],
  ['a member that was added', { ...signed, approvedBy: 'an auditor' }, /was altered after it was signed/],
  [
    'the signature of other evidence',
    { ...signed, signature: { ...signature, value: 'AAAA' } },
    /was altered after it was signed/,
  ],
  [
    'a signature by another key under the id of the first',
    { ...otherKey, signature: { ...otherKey.signature, keyId } },
    /not the thumbprint/,
  ],
  ['the public key', { ...signed, signature: { ...signature, publicKey: otherKey.signature.publicKey } }, /not the thumbprint/],
  ['another algorithm', { ...signed, signature: { ...signature, algorithm: 'none' } }, /algorithm of the signature is not RS256/],
  ['no signature', evidence, /the evidence is not signed/],
  ['a member twice', encodeEvidence(signed).toString().replace('{', '{"result":"failed",'), /the file has a member twice/],
  ['half of the file', encodeEvidence(signed).toString().slice(0, 500), /the file is not JSON/],
];

for (const [name, content, message] of alterations)
  test(`archive verify-evidence: ends with 1 for ${name}, also with --json`, async () => {
    const path = write('altered.json', typeof content === 'string' ? content : JSON.stringify(content));
    const { code, err } = await verify(path);
    equal(code, 1);
    match(err, message);
    const json = await verify(path, '--json');
    equal(json.code, 1);
    equal((JSON.parse(json.out) as { status: string }).status, 'invalid');
  });

test('archive verify-evidence: the process itself ends with 1 and names file and reason', async () => {
  const path = write('altered.json', JSON.stringify({ ...signed, result: 'failed' }));
  const { code, err } = await runArchive(['verify-evidence', path], {});
  equal(code, 1);
  match(err, /^altered\.json: the signature does not match: the evidence was altered after it was signed \(signature-invalid\)/);
});

test('archive verify-evidence: a backup that is not the one tested ends with 1', async () => {
  const other = fileURLToPath(new URL('../../fixture/archive/v2/bkp_increment', import.meta.url));
  const given = await verify(file, '--backup', other);
  equal(given.code, 1);
  match(given.err, /is not the manifest that was tested/);
  equal((await verify(file, '--backup', fixture)).code, 0);
  const folder = mkdtempSync(join(scratch, 'other-'));
  cpSync(other, join(folder, 'bkp_full'), { recursive: true });
  cpSync(file, join(folder, 'rtr_1.json'));
  equal((await verify(join(folder, 'rtr_1.json'))).code, 1);
});

test('archive verify-evidence: without the backup, the manifest is not compared, and that is said', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'evidence-alone-'));
  cpSync(file, join(folder, 'e.json'));
  const { code, out } = await verify(join(folder, 'e.json'));
  rmSync(folder, { recursive: true });
  equal(code, 0);
  match(out, /Backup +not compared: its folder is not beside the evidence/);
});

test('archive verify-evidence: genuine evidence of a failed test ends with 0 and shows what differed', async () => {
  const item = { path: 'users/\u202eada', kind: 'missing', against: 'target', message: 'is missing' } as const;
  const run = testedRun({
    status: 'failed',
    digests: { manifest: digest, documents: null },
    error: { code: 'DIFFERENCES_FOUND', message: '1 document differs', details: {} },
    differences: { total: 1, items: [item] },
  });
  const { code, out } = await verify(write('failed.json', encodeEvidence(await signEvidence(makeEvidence(run), signer))));
  equal(code, 0);
  match(out, /Result +FAILED: 1 document differs \(DIFFERENCES_FOUND\)/);
  match(out, /"users\/\\u202eada": is missing \(missing, target\)/);
});

test('archive verify-evidence: evidence of an earlier version that wrote nothing is genuine, but proves nothing', async () => {
  const target = { projectId: 'prj_copy', projectName: 'Copy' };
  const written = { target, digests: { manifest: digest, documents: null } };
  const shown = async (name: string, evidence: ReturnType<typeof makeEvidence>): Promise<string> =>
    (await verify(write(name, encodeEvidence(await signEvidence(evidence, signer))))).out;
  const { documentsWritten: _, ...old } = makeEvidence(testedRun(written));
  const nothing = { ...old, removal: { status: 'nothing_written', documents: 0, message: null } };
  match(await shown('old.json', nothing), /Result +NOT PROVEN: Nothing written/);
  const all = await shown('new.json', makeEvidence(testedRun({ ...written, documentsWritten: 98 })));
  match(all, /Result +passed\n/);
  match(all, /Written +98 documents/);
});

test('archive verify-evidence: the file may be local or in a bucket', () => {
  deepEqual(splitLocation('s3://bucket/a/b/rtr_1.json'), { folder: 's3://bucket/a/b', name: 'rtr_1.json' });
  deepEqual(splitLocation('gs://bucket/rtr_1.json'), { folder: 'gs://bucket', name: 'rtr_1.json' });
  deepEqual(splitLocation('rtr_1.json'), { folder: '.', name: 'rtr_1.json' });
  deepEqual(splitLocation('./copy/rtr_1.json'), { folder: './copy', name: 'rtr_1.json' });
  for (const location of ['s3://bucket', 's3://bucket/folder/', 'folder/'])
    throws(() => splitLocation(location), { exitCode: 2 });
});

for (const [words, message] of [
  [[], /^verify-evidence: file missing/],
  [[join(scratch, 'none.json')], /^none\.json: file not found/],
  [[file, '--key', 'short'], /^--key: must be a fingerprint of 43 characters, or a file/],
  [[file, '--key', write('no-key.json', '{"keys":[]}')], /^--key: the file has no RSA public key/],
  [[file, 'more'], /^verify-evidence: too many arguments/],
  [[file, '--backup', join(scratch, 'none')], /^folder not found/],
] as const)
  test(`archive verify-evidence: exit code 2, ${message.source}`, async () => {
    const { code, err } = await verify(...words);
    equal(code, 2);
    match(err, message);
  });
